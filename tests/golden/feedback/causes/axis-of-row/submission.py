import numpy as np


def attend(Q, K, V):
    scores = (Q @ K.T).max(axis=-1)
    return scores.sum(axis=1)
