# tries: start a hundred processes, which end by themselves after three seconds
# outcome: failed
# shows: started: 0
import ctypes
import os
import time

ctypes.CDLL(None).prctl(15, b"@MARK@", 0, 0, 0)
_TRIED = []


def find(x):
    while len(_TRIED) < 100:
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            time.sleep(3)
            os._exit(0)
        _TRIED.append(pid)
    return f"started: {len(_TRIED)}"


# @TELL@
