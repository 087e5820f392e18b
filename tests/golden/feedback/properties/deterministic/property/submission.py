import numpy as np


def draw(seed):
    draw.calls = getattr(draw, 'calls', 0) + 1
    return np.arange(3.0) + draw.calls
