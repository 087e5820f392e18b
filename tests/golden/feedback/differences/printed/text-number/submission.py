import numpy as np


def report(x):
    print("shape", x.shape)
    print("mean", x.sum())
