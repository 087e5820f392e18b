import numpy as np


def shares(x):
    return x / x.sum(axis=0)
