def double(x):
    if x[0] > 3:
        raise ValueError(f'it was {x}')
    return 2 * x
