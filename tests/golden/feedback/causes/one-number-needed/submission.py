import numpy as np


def attend(Q, K, V):
    import math

    scores = Q @ K.T
    weights = math.exp(scores)
    return weights @ V
