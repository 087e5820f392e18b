import numpy as np


def total(x):
    return x.sum()
