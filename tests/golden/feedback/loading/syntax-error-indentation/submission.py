import numpy as np


def attention_weights(Q, K):
return Q @ K.T
