import numpy as np


def loss(x):
    return x**2


def gradient(x):
    return 2 * x
