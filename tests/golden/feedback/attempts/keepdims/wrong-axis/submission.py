import numpy as np


def normalise_rows(x):
    return x / x.sum(axis=0, keepdims=True)
