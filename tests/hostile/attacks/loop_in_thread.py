# tries: keep a thread computing after every answer
# outcome: failed, timed out, errored
import threading


def spin():
    while True:
        pass


def answer(x):
    threading.Thread(target=spin, daemon=True).start()
    return "wrong"
