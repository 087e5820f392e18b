# tries: end with a success status from a thread, while a test waits for its answer
# outcome: errored
import os
import threading
import time


def answer(x):
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(10)
