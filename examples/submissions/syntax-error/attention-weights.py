# Wrong: a parenthesis is never closed, so Python cannot read the file.
import numpy as np


def softmax(x):
    """Turn each row of scores into positive weights that add up to one."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def compute_attention_weights(Q, K):
    scores = (Q @ K.T / np.sqrt(Q.shape[-1])
    return softmax(scores)
