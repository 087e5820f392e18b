import math

import numpy as np


def attend(Q, K, V):
    return math.log(-1.0) * V
