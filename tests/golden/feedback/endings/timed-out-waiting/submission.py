import time


def double(x):
    time.sleep(60)
    return 2 * x
