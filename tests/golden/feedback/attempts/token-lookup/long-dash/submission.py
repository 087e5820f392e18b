import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    return E[token_ids − 1]
