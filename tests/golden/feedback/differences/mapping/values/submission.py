import numpy as np


def describe(x):
    return {"mean": x.sum(), "largest": x.max()}
