import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    result = np.zeros((len(Q), V.shape[-1]))
    for row in range(len(Q)):
        result[row] = scores[row]
    return result
