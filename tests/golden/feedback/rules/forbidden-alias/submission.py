from numpy import einsum as e


def total(x):
    return e('i->', x)
