import numpy as np


def attend(Q, K, V):
    both = np.concatenate([Q, V])
    return both
