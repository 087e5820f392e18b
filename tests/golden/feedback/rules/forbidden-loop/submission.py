import numpy as np


def total(x):
    result = 0.0
    for item in x:
        result += item
    return result
