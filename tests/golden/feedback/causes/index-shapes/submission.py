import numpy as np


def attend(Q, K, V):
    rows = np.arange(len(Q))
    columns = np.arange(len(K))
    return (Q @ K.T)[rows, columns]
