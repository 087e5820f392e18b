# tries: open files neither to read nor to write them, to empty them, ask devices and see what is there
# outcome: failed
# shows: opened: \[\]
import os

PATHS = ("@PEER_FILE@", "@EXERCISE_PATH@", "/etc/passwd", "/etc/shadow", "/dev/ptmx", "/dev/tty", "/dev/zero")


def find(x):
    opened = []
    for path in PATHS:
        for flags in (os.O_ACCMODE, os.O_ACCMODE | os.O_TRUNC, os.O_RDONLY | os.O_TRUNC, os.O_RDONLY | os.O_CREAT):
            try:
                os.close(os.open(path, flags))
                opened.append((path, flags))
            except OSError:
                pass
    return f"opened: {opened}"


# @TELL@
