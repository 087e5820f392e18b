# tries: loop for ever
# outcome: timed out
# limits: quick
def answer(x):
    while True:
        pass
