# Wrong: the right computation under a misspelled name.
import numpy as np


def softmax(x):
    """Turn each row of scores into positive weights that add up to one."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def compute_atention_weights(Q, K):
    return softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
