import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    return E[token_ids]


n = 0
while n < 3:  # until all are there
    pass
