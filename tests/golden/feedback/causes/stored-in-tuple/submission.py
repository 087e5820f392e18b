import numpy as np


def attend(Q, K, V):
    shape = Q.shape
    shape[-1] = V.shape[-1]
    return np.zeros(shape)
