import numpy as np


def attend(Q, K, V):
    names = ['a', 'b', 'c', 'd', 'e']
    best = (Q @ K.T).argmax(axis=-1)
    return names[best]
