import numpy as np


def attend(Q, K, V):
    middle = len(K) / 2
    return V[middle]
