import numpy as np


def attention_weights(Q, K):
    shares = [np.exp(K @ q - (K @ q).max()) for q in Q]
    return np.stack([row / row.sum() for row in shares])
