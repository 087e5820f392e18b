import numpy as np


def shares(x):
    return x / 0.0 * np.nan
