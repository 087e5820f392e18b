import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    chosen = scores[scores > 1000]
    return chosen.max()
