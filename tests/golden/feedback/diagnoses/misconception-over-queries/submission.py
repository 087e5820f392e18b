import numpy as np


def attention_weights(Q, K):
    scores = np.einsum('qd,kd->qk', Q, K) / Q.shape[-1] ** 0.5
    weights = np.exp(scores)
    return weights / weights.sum(0, keepdims=True)
