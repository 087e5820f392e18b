# Correct: the same weights with einsum and without the given softmax.
import numpy as np


def compute_attention_weights(Q, K):
    scores = np.einsum("id,jd->ij", Q, K) * Q.shape[1] ** -0.5
    log_total = np.logaddexp.reduce(scores, axis=1)
    return np.exp(scores - log_total[:, None])
