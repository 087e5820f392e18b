import numpy as np


def attend(Q, K, V):
    scores = np.einsum("bqd,bkd->bqk", Q, K)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ V
