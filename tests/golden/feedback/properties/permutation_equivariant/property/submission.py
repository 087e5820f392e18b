import numpy as np


def attend(x):
    return x + np.arange(len(x))[:, np.newaxis]
