import numpy as np


def causal_scores(scores):
    past = np.tril(np.ones(scores.shape, dtype=bool), k=-1)
    return np.where(past, -np.inf, scores)
