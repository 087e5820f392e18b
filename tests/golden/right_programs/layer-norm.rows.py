import numpy as np


def layer_norm(x, gain, bias, eps=1e-5):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        off = row - np.add.reduce(row) / row.size
        rows.append(off / (np.dot(off, off) / row.size + eps) ** 0.5)
    return np.asarray(rows, dtype=x.dtype).reshape(x.shape) * gain + bias
