import numpy as np


def attend(Q, K, V):
    import importlib
    return importlib.reload(np).exp(Q)
