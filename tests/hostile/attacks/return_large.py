# tries: return hundreds of megabytes
# outcome: failed, out of memory, timed out
import numpy as np

CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) > 1:
        return None  # once is enough, the machine is not the target
    return [np.zeros(4 << 20)] * 12
