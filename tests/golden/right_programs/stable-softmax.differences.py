import numpy as np


def softmax(x, axis=-1):
    moved = np.moveaxis(x, axis, -1)
    moved = moved - moved.max(-1)[..., None]
    powers = np.exp(moved)
    return np.moveaxis(powers / np.einsum("...i->...", powers)[..., None], -1, axis)
