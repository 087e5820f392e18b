import numpy as np


def attend(Q, K, V):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as pool:
        return np.array(list(pool.map(np.exp, Q)))
