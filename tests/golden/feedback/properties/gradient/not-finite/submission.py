import numpy as np


def loss(x):
    return np.inf * (x**2).sum()


def gradient(x):
    return 2 * x
