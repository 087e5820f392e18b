import numpy as np


def attention_weights(Q, K):
    scores = Q @ K.T
    weights = np.exp(scores)
    return weights / weights.sum(axis=-1, keepdims=True)
