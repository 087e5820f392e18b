import numpy as np


def centred(x):
    return x * 1.0
