import numpy as np


def attend(Q, K, V):
    result = np.zeros(len(Q) / 1)
    return result
