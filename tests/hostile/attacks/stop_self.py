# tries: stop itself for ever
# outcome on namespaces: failed
# outcome on landlock: timed out
# limits on landlock: quick
import os
import signal


def find(x):
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGSTOP):
        os.kill(os.getpid(), number)
    return "went on"


# @TELL@
