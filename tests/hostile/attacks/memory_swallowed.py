# tries: fill the memory and go on whenever that fails
# outcome: failed, errored, out of memory, timed out
# limits: quick
def answer(x):
    kept, size = [], 64 << 20
    while size > 64:
        try:
            kept.append(bytearray(size))
        except MemoryError:
            size //= 2
    return kept
