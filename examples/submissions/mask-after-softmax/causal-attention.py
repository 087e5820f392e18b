# Wrong: zeroes the future after the softmax, so the rows add up to less than one.
import numpy as np


def softmax(x):
    """Turn each row of scores into positive weights that add up to one."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def apply_causal_attention(Q, K, V):
    weights = np.tril(softmax(Q @ K.T / np.sqrt(Q.shape[-1])))
    return weights @ V, weights
