import numpy as np


def loss(x):
    return (x**2).sum()


def gradient(x):
    return np.sign(x).astype(int)
