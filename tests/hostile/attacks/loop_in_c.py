# tries: compute for ever inside NumPy, with every signal blocked
# outcome: timed out
# limits: quick
import signal

import numpy as np

signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def answer(x):
    numbers = np.ones(1 << 22)
    while True:
        np.tanh(numbers, out=numbers)
