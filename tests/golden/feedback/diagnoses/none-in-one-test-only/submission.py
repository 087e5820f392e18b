import numpy as np


def attention_weights(Q, K):
    d = Q.shape[-1] if Q.shape[-1] > len(Q) else Q.shape[-1] ** 0.5
    weights = np.exp(Q @ K.T / d)
    return weights / weights.sum(axis=-1, keepdims=True)
