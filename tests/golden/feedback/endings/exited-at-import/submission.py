import sys


def double(x):
    return 2 * x


sys.exit(0)
