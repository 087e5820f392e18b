import numpy as np


def softmax(scores, axis):
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


def attend(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[-1])) @ V
