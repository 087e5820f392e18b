import numpy as np


def softmax(x, axis=-1):
    total = np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis)
    return np.exp(x - total)
