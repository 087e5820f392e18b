import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    return e[token_ids]
