import numpy as np


def attend(Q, K, V):
    return np.product(Q, axis=-1)
