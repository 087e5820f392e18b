# tries: become a fresh interpreter, by every path to it
# outcome: failed
# shows: python: \['PermissionError'
import os
import sys

ORDER = "import time; time.sleep(60)  # @MARK@"


def find(x):
    told = []
    for path in (sys.executable, "/proc/self/exe", "/usr/bin/python3.11"):
        try:
            os.execve(path, [path, "-c", ORDER], {})
        except (OSError, ValueError) as error:
            told.append(type(error).__name__)
    try:
        os.execve(os.open(sys.executable, os.O_RDONLY), ["python", "-c", ORDER], {})
    except (OSError, ValueError) as error:
        told.append(type(error).__name__)
    return f"python: {told}"


# @TELL@
