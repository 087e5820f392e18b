import numpy as np


def report(x):
    return x.shape, x.mean()
