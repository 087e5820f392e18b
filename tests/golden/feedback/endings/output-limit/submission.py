def double(x):
    for _ in range(10000):
        print("once more:", x, "and " * 40)
    return 2 * x
