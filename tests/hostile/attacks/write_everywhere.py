# tries: create a file in every folder that can be reached, outside of its own scratch folder
# outcome: failed
# shows: wrote: \[\]
import os
import sys

_TRIED = []


def attempt():
    wrote, tried = [], 0
    stdlib = os.path.dirname(os.__file__)
    roots = [stdlib + "/site-packages", stdlib + "/dist-packages", stdlib + "/__pycache__", "/",
             os.path.dirname("@PEER_FILE@"), "/dev/shm", "/dev/mqueue", "/run", "/var/tmp", "/home"]
    scratch = os.path.realpath(".") if os.path.realpath(".") != "/" else "/no-scratch"
    for root in roots:
        for folder in [root, *(walked[0] for walked in os.walk(root))]:
            if folder == scratch or folder.startswith(scratch + "/"):
                continue
            tried += 1
            if tried > 3000:
                return wrote
            path = os.path.join(folder, "@MARK@")
            try:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
            except OSError:
                continue
            wrote.append(path)
    return wrote


def find(x):
    if not _TRIED:
        _TRIED.append(attempt())
    return f"wrote: {_TRIED[0]}"


# @TELL@
