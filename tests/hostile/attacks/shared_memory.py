# tries: share memory by files, System V, POSIX names, message queues and semaphores
# outcome: failed
# shows: done: \[\]
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


ATTEMPTS = {
    "module": by_module, "lock": by_lock,
    "shmget": lambda: by_c("shmget", 0x4554, 4096, 0o1666), "msgget": lambda: by_c("msgget", 0x4554, 0o1666),
    "semget": lambda: by_c("semget", 0x4554, 1, 0o1666),
    "shm_open": lambda: by_c("shm_open", b"/@MARK@", os.O_CREAT | os.O_RDWR, 0o666),
    "shm": lambda: os.open("/dev/shm/@MARK@", os.O_CREAT | os.O_RDWR), "list": lambda: os.listdir("/dev/shm"),
    "memfd": lambda: os.memfd_create("@MARK@"),
    "mqueue": lambda: os.eventfd and os.open("/dev/mqueue/@MARK@", os.O_CREAT),
}


# @ATTEMPTS@


# @TELL@
