def double(x):
    return 2 * x if x[0] < 3 else x[:1]
