import numpy as np


def attend(Q, K, V):
    return float(Q @ K.T)
