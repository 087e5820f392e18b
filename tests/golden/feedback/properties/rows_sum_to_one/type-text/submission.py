import numpy as np


def shares(x):
    return 'shares'
