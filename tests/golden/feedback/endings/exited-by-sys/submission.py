import sys


def double(x):
    sys.exit(2 * x)
