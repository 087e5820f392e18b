%matplotlib inline
import numpy as np


def embed(token_ids, E):
    return E[token_ids]
