# tries: return a list nested a hundred thousand deep
# outcome: failed
def answer(x):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep
