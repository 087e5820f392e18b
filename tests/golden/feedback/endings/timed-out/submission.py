def double(x):
    while True:
        x = 2 * x
