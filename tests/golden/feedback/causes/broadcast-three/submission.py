import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T
    mask = np.ones(len(Q))
    return np.where(scores > 0, scores, mask) @ V
