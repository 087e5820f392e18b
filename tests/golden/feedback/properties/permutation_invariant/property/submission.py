import numpy as np


def pool(x):
    return x[0]
