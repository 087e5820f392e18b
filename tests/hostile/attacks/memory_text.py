# tries: fill the memory by doubling a text
# outcome: out of memory, timed out
CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) > 1:
        return None  # once is enough, the machine is not the target
    text = "x"
    for _ in range(31):
        text += text
    return len(text)
