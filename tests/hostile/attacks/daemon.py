# tries: leave a daemon behind, by two forks and a session of its own
# outcome: failed
# shows: daemon: \[Errno
import ctypes
import os
import time

ctypes.CDLL(None).prctl(15, b"@MARK@", 0, 0, 0)


def find(x):
    try:
        pid = os.fork()
    except OSError as error:
        return f"daemon: {error}"
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    return "daemon: started"


# @TELL@
