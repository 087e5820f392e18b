# tries: overflow the C stack
# outcome: errored, out of memory, timed out
# limits: quick
import sys

sys.setrecursionlimit(1 << 30)


class Deep:
    def __repr__(self):
        return repr(self)


def answer(x):
    return repr(Deep())
