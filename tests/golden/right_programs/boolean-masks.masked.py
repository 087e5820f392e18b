import numpy as np


def valid_means(x, valid):
    totals = np.sum(x, axis=-1, where=valid)
    counts = np.count_nonzero(valid, axis=-1)
    return np.divide(totals, counts, out=np.zeros(totals.shape), where=counts > 0)
