import numpy as np


def describe(x):
    return {"mean": x.mean()}
