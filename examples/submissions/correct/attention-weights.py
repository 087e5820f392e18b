# Correct: the model answer's way.
import numpy as np


def softmax(x):
    """Turn each row of scores into positive weights that add up to one."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def compute_attention_weights(Q, K):
    d_k = Q.shape[-1]
    return softmax(Q @ K.T / np.sqrt(d_k))
