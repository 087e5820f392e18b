import numpy as np


def running_means(x):
    n = x.shape[-1]
    upper = np.triu(np.ones((n, n)))
    return (x @ upper) / np.arange(1.0, n + 1.0)
