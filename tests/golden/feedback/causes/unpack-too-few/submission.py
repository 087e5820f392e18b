import numpy as np


def attend(Q, K, V):
    n, m, d = (Q @ K.T).shape
    return np.zeros((n, d))
