import numpy as np


def attend(Q, K, V):
    rows = [q[: 1 + i] for i, q in enumerate(Q)]
    return np.array(rows)
