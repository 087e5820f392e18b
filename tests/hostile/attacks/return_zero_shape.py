# tries: return an array of no items and of lengths beyond all memory
# outcome: failed
# @FRAMES@
CALLS = []


def answer(x):
    CALLS.append(x)
    return __import__("numpy").zeros((0, (1 << 31) - 1))
