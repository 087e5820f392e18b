import numpy as np


def add(module, x):
    return module.ones(len(x)) @ x


def total(x):
    return add(np, x)
