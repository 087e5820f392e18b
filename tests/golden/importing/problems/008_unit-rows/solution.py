import numpy as np


def unit_rows(matrix):
    """Divide each row of a matrix by its length."""
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
