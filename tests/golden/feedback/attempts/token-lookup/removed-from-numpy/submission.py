import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    count = np.product(token_ids.shape)
    return E[token_ids].reshape(count, -1)
