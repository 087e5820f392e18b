import numpy as np


def split_heads(x, heads):
    n, d_model = x.shape
    width = d_model // heads
    return np.stack([x[:, h * width : (h + 1) * width] for h in range(heads)], axis=0)
