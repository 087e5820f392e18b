import numpy as np


def attend(Q, K, V):
    chosen = np.flatnonzero(V[:, 0] > 1)
    return np.take(V[:0], chosen, axis=0)
