import numpy as np


def attend(Q, K, V):
    total = np.exp(Q @ K.T).sum()
    return np.exp(Q @ K.T) / total.sum(axis=1)
