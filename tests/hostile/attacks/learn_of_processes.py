# tries: learn from system calls which processes exist, how much they compute, and what they read
# outcome: failed
# shows: known: \[\]
import ctypes
import mmap
import os

LIBC = ctypes.CDLL(None, use_errno=True)
BUFFER = ctypes.create_string_buffer(4096)
NOBODY = 4194303
CALLS = {
    "clock_gettime": lambda pid: LIBC.clock_gettime(~pid << 3 | 2, BUFFER),
    "clock_getres": lambda pid: LIBC.clock_getres(~pid << 3 | 2, BUFFER),
    "clock_nanosleep": lambda pid: LIBC.clock_nanosleep(~pid << 3 | 2, 0, bytes(16), None),
    "sched_getaffinity": lambda pid: LIBC.sched_getaffinity(pid, 128, BUFFER),
    "sched_getscheduler": lambda pid: LIBC.sched_getscheduler(pid),
    "sched_getparam": lambda pid: LIBC.sched_getparam(pid, BUFFER),
    "prlimit": lambda pid: LIBC.prlimit(pid, 7, None, BUFFER),
    "getpriority": lambda pid: LIBC.getpriority(0, pid),
    "getpgid": lambda pid: LIBC.getpgid(pid),
    "getsid": lambda pid: LIBC.getsid(pid),
    "kill": lambda pid: LIBC.kill(pid, 0),
    "get_robust_list": lambda pid: LIBC.syscall(100 if os.uname().machine == "aarch64" else 274, pid, BUFFER, BUFFER),
    "ioprio_get": lambda pid: LIBC.syscall(31 if os.uname().machine == "aarch64" else 252, 1, pid),
}


def told(call, pid):
    ctypes.set_errno(0)
    return call(pid), ctypes.get_errno()


def cached_pages():
    with open(os.__file__, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_COPY)
    address = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
    return LIBC.mincore(ctypes.c_void_p(address), ctypes.c_size_t(4096), BUFFER) == 0


def find(x):
    known = [name for name, call in CALLS.items()
             if told(call, int("@GRADER_PID@")) != told(call, NOBODY)]
    if LIBC.sysinfo(BUFFER) == 0:
        known.append("how many there are")
    if cached_pages():
        known.append("cached pages")
    return f"known: {known}"


# @TELL@
