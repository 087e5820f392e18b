import numpy as np


def attend(Q, K, V):
    return 10.0**400 * V
