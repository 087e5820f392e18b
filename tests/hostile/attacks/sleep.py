# tries: sleep for ever
# outcome: timed out
# limits: quick
import time


def answer(x):
    time.sleep(1000)
