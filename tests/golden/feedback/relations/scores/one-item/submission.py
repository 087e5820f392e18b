import numpy as np


def scaled_scores(Q, K):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    return scores[0]
