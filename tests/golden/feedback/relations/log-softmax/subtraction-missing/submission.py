import numpy as np


def log_softmax(x):
    return x - x.max(axis=-1, keepdims=True)
