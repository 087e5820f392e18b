import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    rows = E[token_ids]
