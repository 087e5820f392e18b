import numpy as np


def attend(Q, K, V):
    result = np.zeros(len(Q), V.shape[-1])
    return result
