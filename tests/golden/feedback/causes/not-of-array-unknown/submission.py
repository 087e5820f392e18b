import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    return scores.normalise() @ V
