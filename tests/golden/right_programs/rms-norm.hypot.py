import numpy as np


def rms_norm(x, gain, eps=1e-5):
    d = x.shape[-1]
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    root = np.hypot(length / np.sqrt(x.dtype.type(d)), np.sqrt(x.dtype.type(eps)))
    return x / root * gain
