import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    result = np.zeros((len(Q), V.shape[-1]))
    result[[0, 1, 2]] = scores
    return result
