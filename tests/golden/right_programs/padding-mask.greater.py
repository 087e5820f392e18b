import numpy as np


def padding_mask(lengths, m):
    return np.logical_not(np.arange(m) < np.asarray(lengths).reshape(*np.shape(lengths), 1, 1))
