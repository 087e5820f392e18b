import ctypes


def double(x):
    return ctypes.string_at(0)
