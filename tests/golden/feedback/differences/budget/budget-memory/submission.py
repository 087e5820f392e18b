import numpy as np


def norms(x):
    many = np.concatenate([x * x] * 4)
    return np.sqrt(many[: len(x)].sum(axis=-1))
