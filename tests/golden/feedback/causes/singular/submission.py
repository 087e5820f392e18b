import numpy as np


def attend(Q, K, V):
    gram = Q.T @ Q
    return Q @ np.linalg.inv(np.ones_like(gram)) @ K.T @ V
