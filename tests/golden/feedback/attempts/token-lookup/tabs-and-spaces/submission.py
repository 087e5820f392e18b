import numpy as np


def embed(token_ids, E):
    rows = E[token_ids]
	return rows
