import numpy as np


def scaled_scores(Q, K):
    for q in Q:
        row = K @ q / np.sqrt(Q.shape[-1])
    return row
