import numpy as np


def unit_size(x, gain):
    result = np.zeros(x.shape)
    for i in range(len(x)):
        row = x[i] - np.sum(x[i]) / len(x[i])
        result[i] = row * gain - np.median(row) * gain
    return result
