import numpy as np


def unit_size(x, gain):
    rows = np.asarray(x)
    plain = rows * 1.0
    return plain * gain
