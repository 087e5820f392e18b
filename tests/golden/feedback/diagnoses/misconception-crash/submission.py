import numpy as np


def attention_weights(Q, K):
    scores = np.dot(Q, K) / 2.0
    weights = np.exp(scores)
    return weights / weights.sum(axis=-1, keepdims=True)
