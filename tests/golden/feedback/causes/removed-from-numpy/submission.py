import numpy as np


def attend(Q, K, V):
    scores = np.where(Q @ K.T > 0, 0.0, -np.Inf)
    return scores @ V
