# tries: return hundreds of megabytes
# outcome: failed, out of memory
import numpy as np

CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) > 2:
        return None  # twice is enough, the machine is not the target
    return [np.zeros(4 << 20)] * 12
