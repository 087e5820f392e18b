import numpy as np


def attend(Q, K, V):
    return V[len(V):][0]
