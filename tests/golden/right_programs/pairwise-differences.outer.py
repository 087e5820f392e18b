import numpy as np


def pairwise_differences(a, b):
    return np.swapaxes(np.broadcast_to(a, (len(b), *a.shape)), 0, 1) - np.expand_dims(b, 0)
