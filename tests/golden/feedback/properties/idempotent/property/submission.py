import numpy as np


def clipped(x):
    return x / 2
