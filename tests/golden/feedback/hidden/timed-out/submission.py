def double(x):
    while x[0] > 3:
        pass
    return 2 * x
