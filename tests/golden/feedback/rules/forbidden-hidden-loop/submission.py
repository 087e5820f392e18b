import functools


def total(x):
    return functools.reduce(lambda a, b: a + b, x)
