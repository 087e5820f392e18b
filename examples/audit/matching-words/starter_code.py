def match(Q, K):
    """Return how well each key fits each query: shares that add up to one."""
    pass
