# tries: turn its own module into an object that gives another function at each look
# outcome: failed, errored
import sys


class Changing(dict):
    def __getitem__(self, key):
        return lambda x: "wrong"


module = sys.modules["submission"]
module.__class__ = type("M", (type(module),), {"__getattribute__": lambda self, name: Changing()})


def answer(x):
    return None
