import numpy as np


def attend(Q, K, V):
    return Q.sum(axis=[0, 1])
