# tries: fill the memory by doubling a text
# outcome: out of memory
def answer(x):
    text = "x"
    for _ in range(31):
        text += text
    return len(text)
