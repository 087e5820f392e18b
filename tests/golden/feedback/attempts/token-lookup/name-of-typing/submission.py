import numpy as np


def embed(token_ids: List[int], E: np.ndarray) -> np.ndarray:
    return E[token_ids]
