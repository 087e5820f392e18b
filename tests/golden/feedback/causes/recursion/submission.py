import numpy as np


def attend(Q, K, V):
    return attend(Q, K, V)
