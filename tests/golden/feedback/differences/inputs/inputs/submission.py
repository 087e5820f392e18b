import numpy as np


def normalise(x):
    x /= x.sum(axis=-1, keepdims=True)
    return x
