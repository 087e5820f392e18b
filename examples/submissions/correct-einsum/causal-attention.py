# Correct: einsum, a softmax of its own, and positions compared to find the future.
import numpy as np


def apply_causal_attention(Q, K, V):
    scores = np.einsum("id,jd->ij", Q, K) * Q.shape[1] ** -0.5
    positions = np.arange(len(scores))
    scores[positions[:, None] < positions] = -np.inf
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    return np.einsum("ij,jd->id", weights, V), weights
