import numpy as np


def embed(token_ids, E):
    """Return the vector of each token."""
    rows = []
    i = 0
    while i < len(token_ids):
        rows.append(E[token_ids[i]])
        rows = rows[-3:]
    return np.array(rows)
