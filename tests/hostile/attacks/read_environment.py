# tries: find the grader's environment in its own, through the C library and on its own stack
# outcome: failed
# shows: names: \['LANG'|names: \[.*LANG
import ctypes
import os

LIBC = ctypes.CDLL(None)
LIBC.getenv.restype = ctypes.c_char_p


def find(x):
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(LIBC, "environ")
    names, index = [], 0
    while environ[index]:
        names.append(environ[index].decode(errors="replace"))
        index += 1
    names += [f"{k}={v}" for k, v in os.environ.items()]
    names += [repr(LIBC.getenv(name)) for name in (b"@TOKEN_NAME@", b"HOME", b"PATH", b"GITHUB_TOKEN")]
    return f"names: {sorted(names)}"


# @TELL@
