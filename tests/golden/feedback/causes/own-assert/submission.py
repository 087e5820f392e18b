import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T
    assert scores.shape == (3, 3)
    return scores @ V
