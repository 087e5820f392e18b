import numpy as np


def log_shares(x):
    return np.log(-x) - np.log(x.sum())
