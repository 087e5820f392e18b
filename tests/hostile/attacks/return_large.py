# tries: return hundreds of megabytes
# outcome: failed, out of memory
import numpy as np


def answer(x):
    return [np.zeros(4 << 20)] * 12
