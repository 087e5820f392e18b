# tries: return a small list that stands for ten to the ninth parts
# outcome: failed
def answer(x):
    bomb = 1.0
    for _ in range(9):
        bomb = [bomb] * 10
    return bomb
