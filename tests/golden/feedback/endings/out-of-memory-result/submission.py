import numpy as np


def double(x):
    return np.broadcast_to(2 * x, (5, 1 << 20, 2)).copy()
