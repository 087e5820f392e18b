import numpy as np


def attend(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    rng = np.random.default_rng(0)
    return V[rng.choice(len(K), p=np.exp(scores[0]))]
