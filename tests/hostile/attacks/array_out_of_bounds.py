# tries: return an array whose strides reach far outside of its buffer
# outcome: errored, failed
import numpy as np


def answer(x):
    return np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (1 << 44,))
