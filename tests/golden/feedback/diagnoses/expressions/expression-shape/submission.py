import numpy as np


def unit_size(x, gain):
    away = x - np.mean(x, axis=1)[:, np.newaxis]
    result = away / np.sqrt(np.var(x, axis=1)[:, np.newaxis] + 1)
    return np.expand_dims(result * gain, 0)
