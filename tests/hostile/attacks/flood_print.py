# tries: print without end
# outcome: output limit
def answer(x):
    for n in range(10_000):
        print("y" * 1000)
