import numpy as np


def double(x):
    return np.ones((1 << 20, 1 << 14)) * x
