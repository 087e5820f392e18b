import numpy as np


def attend(Q, K, V):
    rows = [q @ K.T @ V for q in Q]
    return rows[len(Q)]
