import numpy as np


def softmax(x):
    return x
