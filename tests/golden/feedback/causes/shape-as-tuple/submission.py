import numpy as np


def attend(Q, K, V):
    return np.random.rand((len(Q), V.shape[-1]))
