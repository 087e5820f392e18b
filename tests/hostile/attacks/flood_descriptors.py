# tries: open files until there are no descriptors left
# outcome: failed
# shows: opened: [0-9]{1,2}\D
import os

_KEPT = []


def find(x):
    try:
        while len(_KEPT) < 5000:
            _KEPT.append(os.dup(0))
    except OSError:
        pass
    return f"opened: {len(_KEPT)}"


# @TELL@
