import numpy as np


def split_heads(x, heads):
    n, d = x.shape
    return x.reshape(n, heads, d // heads).transpose(1, 2, 0)
