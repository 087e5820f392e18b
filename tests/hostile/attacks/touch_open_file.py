# tries: leave a mark in the times of files that anybody may write to
# outcome: failed
# shows: touched: \[\]
import os


def find(x):
    touched = []
    for path in ("@PEER_FILE@", "/dev/null", "/dev/urandom", "/tmp/..", "/dev"):
        try:
            os.utime(path)
            touched.append(path)
        except OSError:
            pass
    return f"touched: {touched}"


# @TELL@
