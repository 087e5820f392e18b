import numpy as np


def attend(Q, K, V):
    from multiprocessing import Pool
    with Pool(2) as pool:
        return np.array(pool.map(np.exp, Q))
