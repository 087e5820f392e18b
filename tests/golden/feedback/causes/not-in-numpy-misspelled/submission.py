import numpy as np


def attend(Q, K, V):
    return np.matmull(Q, np.transpose(K))
