# tries: lift the worker's cap on printing and then print without end
# outcome: output limit
import sys

sys.stdout.left = 1 << 40


def answer(x):
    for _ in range(1000):
        print("y" * 1000)
