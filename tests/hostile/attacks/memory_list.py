# tries: fill the memory with a list
# outcome: out of memory, timed out
CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) > 1:
        return None  # once is enough, the machine is not the target
    kept = []
    while len(kept) < 2048:
        kept.append(bytearray(1 << 20))
    return None
