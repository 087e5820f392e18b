# tries: hand strings with NULs to everything that takes a path or code
# outcome: errored
def answer(x):
    print("\x00 passed")
    return eval("1\x00")
