import os


def double(x):
    os.abort()
