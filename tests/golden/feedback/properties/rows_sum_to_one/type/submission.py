import numpy as np


def shares(x):
    return 1.0
