import numpy as np


def means(x):
    return x + np.roll(x, -1, axis=0)
