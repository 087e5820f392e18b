# tries: fill the memory with arrays
# outcome: out of memory, timed out
import numpy as np

CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) > 1:
        return None  # once is enough, the machine is not the target
    return sum(a.size for a in [np.ones(4 << 20) for _ in range(64)])
