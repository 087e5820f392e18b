import numpy as np


def scaled_scores(Q, K):
    return K @ Q.T / np.sqrt(Q.shape[-1])
