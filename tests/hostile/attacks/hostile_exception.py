# tries: raise an exception whose every method raises or ends the process
# outcome: errored
import os


class Hostile(Exception):
    __str__ = __repr__ = __format__ = lambda self, *a: os._exit(0)
    __del__ = lambda self: os._exit(0)
    __traceback__ = property(lambda self: os._exit(0))
    __reduce__ = lambda self: os._exit(0)


def answer(x):
    raise Hostile("no")
