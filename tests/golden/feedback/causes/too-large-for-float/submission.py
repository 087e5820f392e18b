import math

import numpy as np


def attend(Q, K, V):
    return math.exp(1000.0) * V
