import numpy as np


def half(x):
    return x.astype(float) / 2
