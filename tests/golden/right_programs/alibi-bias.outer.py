import numpy as np


def alibi_bias(heads, length):
    slopes = np.power(2.0, -8.0 / heads) ** np.arange(1, heads + 1)
    i, j = np.indices((length, length))
    return np.multiply.outer(slopes, -np.abs(i - j).astype(float))
