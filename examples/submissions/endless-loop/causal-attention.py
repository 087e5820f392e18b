# Wrong: the loop over the positions never moves on, so the call never returns.
import numpy as np


def softmax(x):
    """Turn each row of scores into positive weights that add up to one."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def apply_causal_attention(Q, K, V):
    n, d_k = Q.shape
    weights = np.zeros((n, n))
    position = 0
    while True:
        if position == n:
            return weights @ V, weights
        seen = position + 1
        weights[position, :seen] = softmax(Q[position] @ K[:seen].T / np.sqrt(d_k))
