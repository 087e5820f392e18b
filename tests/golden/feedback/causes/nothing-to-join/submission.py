import numpy as np


def attend(Q, K, V):
    rows = [q @ K.T @ V for q in Q if len(q) > 4]
    return np.stack(rows)
