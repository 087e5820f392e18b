import numpy as np


def weights(x):
    shares = np.exp(x)
    return shares / shares.sum(axis=-1, keepdims=True)
