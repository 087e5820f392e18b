# tries: return a dict that contains itself, many times over
# outcome: failed
def answer(x):
    circle = {}
    circle["all"] = [circle] * 1000
    return circle
