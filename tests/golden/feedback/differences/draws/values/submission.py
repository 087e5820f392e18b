def double(x):
    return 2 * x if len(x) < 21 else x
