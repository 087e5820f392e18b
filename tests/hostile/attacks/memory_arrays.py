# tries: fill the memory with arrays
# outcome: out of memory
import numpy as np


def answer(x):
    return sum(a.size for a in [np.ones(4 << 20) for _ in range(64)])
