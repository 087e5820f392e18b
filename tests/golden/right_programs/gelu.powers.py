import numpy as np


def gelu(x):
    inner = 2 * np.sqrt(2 / np.pi) * x * (1 + 0.044715 * np.square(x))
    return (x / (1 + np.exp(-np.clip(inner, -80, 80)))).astype(np.asarray(x).dtype)
