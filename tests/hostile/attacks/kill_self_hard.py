# tries: kill itself, as if the grader had run out of memory
# outcome on namespaces: failed
# outcome on landlock: errored
import os
import signal


def find(x):
    os.kill(os.getpid(), signal.SIGKILL)


# @TELL@
