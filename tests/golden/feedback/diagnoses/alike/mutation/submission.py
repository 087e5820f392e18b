import numpy as np


def centred(x):
    return x - x.mean(axis=0)
