# tries: return a small list that stands for ten to the ninth parts
# outcome: failed
CALLS = []


def answer(x):
    CALLS.append(x)
    if len(CALLS) > 1:
        return None  # once is enough, the machine is not the target
    bomb = 1.0
    for _ in range(9):
        bomb = [bomb] * 10
    return bomb
