# tries: write without end, around Python's streams, and return as if nothing were
# outcome: output limit
import os


def answer(x):
    for descriptor in (1, 2):
        for _ in range(100):
            try:
                os.write(descriptor, b"z" * 100_000)
            except OSError:
                break
    return None
