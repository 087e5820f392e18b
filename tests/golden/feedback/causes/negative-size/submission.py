import numpy as np


def attend(Q, K, V):
    padding = np.zeros((len(Q) - len(K), V.shape[-1]))
    return np.concatenate([V, padding])
