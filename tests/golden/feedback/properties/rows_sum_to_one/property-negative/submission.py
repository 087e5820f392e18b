import numpy as np


def shares(x):
    return 9 * x / x.sum(axis=-1, keepdims=True) - 2
