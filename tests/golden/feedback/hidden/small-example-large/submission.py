import numpy as np


def mean(x):
    return np.prod(x) ** (1 / len(x))
