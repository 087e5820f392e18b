# tries: make processes and namespaces with every flag of clone and unshare
# outcome: failed
# shows: made: \[\]
import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
CLONE, UNSHARE = (220, 97) if os.uname().machine == "aarch64" else (56, 272)
SPACES = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80)
OTHERS = (0, 17, 0x100, 0x4000 | 0x100, 0x8000, 0x2000, 0x800000, 1 << 32, (1 << 32) | 17)


def find(x):
    made = []
    for flags in (*SPACES, *OTHERS, *(s | 17 for s in SPACES), *(s | 0x10000 for s in SPACES), 0x7E020000):
        result = LIBC.syscall(ctypes.c_long(CLONE), ctypes.c_long(flags), *[ctypes.c_long(0)] * 4)
        if result == 0:
            os._exit(0)  # this is the child that should not be
        if result > 0:
            made.append(("clone", hex(flags)))
    for flags in SPACES:
        if LIBC.syscall(ctypes.c_long(UNSHARE), ctypes.c_long(flags)) == 0:
            made.append(("unshare", hex(flags)))
    return f"made: {made}"


# @TELL@
