import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    for row in scores.sum():
        row *= 2
    return scores @ V
