# tries: learn where links lead, its own and those of the host
# outcome: failed
# shows: links: \[\]
import os
import sys

PATHS = ["/bin", "/lib", "/lib64", "/sbin", "/etc/localtime", "/etc/mtab", "/dev/stdin", "/dev/fd", "/var/run",
         "/proc/self", "/proc/self/exe", "/proc/self/cwd", "/proc/self/root", "/proc/self/fd/0", sys.executable]


def find(x):
    links = []
    for path in PATHS:
        try:
            links.append((path, os.readlink(path)))
        except OSError:
            pass
        try:
            descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW)
            links.append((path, os.readlink("", dir_fd=descriptor)))
        except OSError:
            pass
    return f"links: {links}"


# @TELL@
