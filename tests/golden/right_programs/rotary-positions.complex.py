import numpy as np


def rotate(x, positions):
    d = x.shape[-1]
    speeds = np.exp(-np.log(10000.0) * np.arange(0, d, 2) / d)
    turns = np.exp(1j * np.multiply.outer(positions, speeds))
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * turns
    both = np.stack([turned.real, turned.imag], axis=-1)
    return both.reshape(x.shape).astype(x.dtype)
