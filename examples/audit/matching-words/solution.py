import numpy as np


def match(Q, K):
    """Return how well each key fits each query: shares that add up to one."""
    Q, K = np.asarray(Q, dtype=float), np.asarray(K, dtype=float)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(scores)
    return shares / shares.sum(axis=1, keepdims=True)
