def double(x):
    while not hasattr(x, 'shape'):
        pass
    return 2 * x
