# tries: fill the memory with a list
# outcome: out of memory
def answer(x):
    kept = []
    while len(kept) < 2048:
        kept.append(bytearray(1 << 20))
    return None
