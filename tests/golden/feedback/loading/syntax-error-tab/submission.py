import numpy as np


def attention_weights(Q, K):
    scores = Q @ K.T
	return scores
