import numpy as np


def attention_weights(Q, K):
    keys = K / np.linalg.norm(K, axis=-1, keepdims=True)
    scores = np.tanh(Q @ K.T)
    return scores / np.abs(scores).sum(axis=-1, keepdims=True)
