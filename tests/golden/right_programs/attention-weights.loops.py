import math

import numpy as np


def compute_attention_weights(Q, K):
    root = math.sqrt(Q.shape[1])
    weights = np.empty((len(Q), len(K)))
    for i, query in enumerate(Q):
        scores = [float(np.dot(query, key)) / root for key in K]
        peak = max(scores)
        powers = [math.exp(score - peak) for score in scores]
        weights[i] = [power / math.fsum(powers) for power in powers]
    return weights
