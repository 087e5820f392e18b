def double(x):
    factor = input('How often? ')
    return x * int(factor)
