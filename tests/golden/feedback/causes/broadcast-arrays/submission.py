import numpy as np


def attend(Q, K, V):
    queries, keys = np.broadcast_arrays(Q, K)
    scores = queries * keys
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ V
