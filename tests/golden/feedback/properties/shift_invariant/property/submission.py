import numpy as np


def weights(x):
    shares = np.exp(x)
    return shares / (1 + shares.sum(axis=-1, keepdims=True))
