import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    blocked = scores < 0
    return (-blocked) @ V
