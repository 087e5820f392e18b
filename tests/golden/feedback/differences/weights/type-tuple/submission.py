import numpy as np


def attention_weights(Q, K):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights,
