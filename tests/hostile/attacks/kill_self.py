# tries: send itself every signal that can be sent
# outcome on namespaces: failed
# outcome on landlock: errored
import os


def find(x):
    for number in range(1, 65):
        if number != 19:
            try:
                os.kill(os.getpid(), number)
            except OSError:
                pass
    return "alive"


# @TELL@
