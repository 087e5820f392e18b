import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    print(E[token_ids])
