# tries: fill the memory with frames
# outcome: errored, out of memory, timed out
# limits: quick
import sys

sys.setrecursionlimit(1 << 30)


def deeper(n):
    return deeper(n + 1) + 1 if n < 10_000_000 else 0


def answer(x):
    return deeper(0)
