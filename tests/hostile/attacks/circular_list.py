# tries: return a list that contains itself
# outcome: failed
def answer(x):
    circle = [1]
    circle.append(circle)
    return circle
