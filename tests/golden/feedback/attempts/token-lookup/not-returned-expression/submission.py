import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    E[token_ids]
