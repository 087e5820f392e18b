import numpy as np


def attention_weights(Q, K):
    scores = Q @ K.T
    if scores = 0:
        return scores
