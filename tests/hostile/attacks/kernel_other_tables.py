# tries: reach denied calls by the numbers of the x32 table and by numbers beyond every table
# outcome: failed
# shows: allowed: \[\]
# needs: x86_64
import ctypes
import errno

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
X32 = 0x40000000


def find(x):
    allowed = []
    for number in [X32 | n for n in (0, 39, 41, 56, 57, 59, 101, 272, 512, 520, 521, 545)] + [
        1 << 31, (1 << 32) | 57, 0xFFFFFFFF, 600, 334 + 10_000,
    ]:
        ctypes.set_errno(0)
        result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 4)
        if result >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            allowed.append((hex(number), result, ctypes.get_errno()))
    return f"allowed: {allowed}"


# @TELL@
