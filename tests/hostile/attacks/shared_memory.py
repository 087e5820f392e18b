# tries: share memory by files, System V, POSIX names, message queues and semaphores
# outcome: failed
# shows: shared: \[\]
import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)


def by_module():
    from multiprocessing import shared_memory
    shared_memory.SharedMemory("@MARK@", create=True, size=64)


def by_lock():
    import multiprocessing
    multiprocessing.get_context("fork").Lock()


def by_c(name, *arguments):
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError


def find(x):
    shared = []
    for attempt in (
        by_module, by_lock,
        lambda: by_c("shmget", 0x4554, 4096, 0o1666), lambda: by_c("msgget", 0x4554, 0o1666),
        lambda: by_c("semget", 0x4554, 1, 0o1666), lambda: by_c("shm_open", b"/@MARK@", os.O_CREAT | os.O_RDWR, 0o666),
        lambda: os.open("/dev/shm/@MARK@", os.O_CREAT | os.O_RDWR), lambda: os.listdir("/dev/shm"),
        lambda: os.memfd_create("@MARK@"), lambda: os.eventfd and os.open("/dev/mqueue/@MARK@", os.O_CREAT),
    ):
        try:
            attempt()
            shared.append(attempt.__name__)
        except (OSError, ImportError):
            pass
    return f"shared: {shared}"


# @TELL@
