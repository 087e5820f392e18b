import numpy as np


def attend(Q, K, V):
    heads = Q.shape[-1] // 8
    width = Q.shape[-1] // heads
    return width
