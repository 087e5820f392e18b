import numpy as np


def attend(Q, K, V):
    counts = np.arange(1, len(Q) + 1)
    counts /= len(Q)
    return counts
