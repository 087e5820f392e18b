# tries: grow, shrink, punch and map the file behind the output
# outcome: failed
# shows on namespaces: grew: \[\]
# shows on landlock: grew: \[('reopen')?\]
import ctypes
import mmap
import os

LIBC = ctypes.CDLL(None, use_errno=True)


def find(x):
    grew = []
    for name, attempt in {
        "grow": lambda: os.ftruncate(1, 1 << 30),
        "shrink": lambda: os.ftruncate(1, 0),
        "allocate": lambda: os.posix_fallocate(1, 0, 1 << 30),
        "reopen": lambda: os.open("/proc/self/fd/1", os.O_RDWR),
        "map beyond": lambda: mmap.mmap(1, 1 << 30),
    }.items():
        try:
            attempt()
            grew.append(name)
        except (OSError, ValueError):
            pass
    mapped = mmap.mmap(1, 4096)
    mapped[:4096] = b"\x1b" * 4096
    return f"grew: {grew}"


# @TELL@
