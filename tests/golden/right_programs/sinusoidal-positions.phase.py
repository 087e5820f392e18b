import numpy as np


def sinusoidal_positions(length, d_model):
    column = np.arange(d_model)
    speeds = np.exp(-np.log(10000.0) * (column - column % 2) / d_model)
    return np.sin(np.outer(np.arange(length), speeds) + column % 2 * np.pi / 2)
