# tries: compute a power of millions of digits
# outcome: timed out
# limits: quick
def answer(x):
    return len(str(7 ** (10 ** 8) % 1000))
