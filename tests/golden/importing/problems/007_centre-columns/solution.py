import numpy as np


def centre_columns(table):
    table = np.asarray(table, dtype=float)
    return table - table.mean(axis=0)
