import numpy as np


def attend(Q, K, V):
    return np.linalg.inv(Q) @ V
