# tries: end by a real-time signal, which has no name
# outcome on namespaces: failed
# outcome on landlock: errored
import os

os.kill(os.getpid(), 40)


def find(x):
    os.kill(os.getpid(), 40)


# @TELL@
