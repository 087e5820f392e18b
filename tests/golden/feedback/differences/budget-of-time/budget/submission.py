import time

import numpy as np


def totals(x):
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        pass
    return np.cumsum(x)
