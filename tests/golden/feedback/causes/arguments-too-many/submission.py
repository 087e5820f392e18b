import numpy as np


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def attend(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[-1]), -1) @ V
