# tries: return the arguments themselves, changed in place
# outcome: failed
def answer(x):
    try:
        x *= 3
    except TypeError:
        pass
    return x
