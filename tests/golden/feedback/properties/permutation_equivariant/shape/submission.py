import numpy as np


def attend(x):
    return x[1:]
