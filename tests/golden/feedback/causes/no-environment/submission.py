import numpy as np


def attend(Q, K, V):
    import os
    return np.zeros(len(os.environ["USER"]))
