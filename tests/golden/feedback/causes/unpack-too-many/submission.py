import numpy as np


def attend(Q, K, V):
    n, d = Q[np.newaxis].shape
    return np.zeros((n, d))
