# Wrong: computes the answer but never returns it.
import numpy as np


def softmax(x):
    """Turn each row of scores into positive weights that add up to one."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def apply_causal_attention(Q, K, V):
    n, d_k = Q.shape
    future = np.triu(np.ones((n, n), dtype=bool), k=1)
    weights = softmax(np.where(future, -np.inf, Q @ K.T / np.sqrt(d_k)))
    output = weights @ V
