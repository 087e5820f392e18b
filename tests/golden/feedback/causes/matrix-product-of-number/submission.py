import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T @ (1 / np.sqrt(Q.shape[-1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ V
