import numpy as np


def total(x):
    return np.ones(len(x) @ x
