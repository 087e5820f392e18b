import numpy as np


def perplexity(p):
    return float(np.prod(np.power(np.ravel(p), -1.0 / np.size(p))))
