# tries: become a shell
# outcome: failed
# shows: shell: (PermissionError|FileNotFoundError)
import os


def find(x):
    for path in ("/bin/sh", "/usr/bin/env", "/usr/bin/python3"):
        try:
            os.execv(path, ["sh", "-c", "sleep 60; : @MARK@"])
        except OSError as error:
            told = f"shell: {type(error).__name__}"
    return told


# @TELL@
