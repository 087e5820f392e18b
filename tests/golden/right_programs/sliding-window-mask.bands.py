import numpy as np


def sliding_window_mask(n, window):
    seen = np.tri(n, dtype=bool) & ~np.tri(n, k=-window, dtype=bool)
    return ~seen
