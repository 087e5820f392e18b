# tries: return and raise halves of surrogate pairs, which no terminal can print
# outcome: failed
CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) % 2:
        return {"\udc80\x1b[2J": "\ud800"}
    raise ValueError("\udc80\ud800\x1b[2J")
