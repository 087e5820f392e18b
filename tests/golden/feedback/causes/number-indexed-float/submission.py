import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    d = float(Q.shape[-1])
    return scores / d[0]
