def double(x):
    return 2 * x


while True:
    double(1)
