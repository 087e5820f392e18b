import numpy as np


def attention_weights(Q, K):
    scores = np.round(Q @ K.T / np.sqrt(Q.shape[-1]), 2)
    weights = np.exp(scores)
    return weights / weights.sum(axis=-1, keepdims=True)
