# tries: start processes by subprocess, os.system, popen, posix_spawn, multiprocessing and pty
# outcome: failed
# shows: started: \[\]
import os

SHELL = ["/bin/sh", "-c", "sleep 60; : @MARK@"]


def with_subprocess():
    import subprocess
    subprocess.run(SHELL, timeout=1)


def with_multiprocessing():
    import multiprocessing
    multiprocessing.get_context("fork").Process(target=print).start()


def with_futures():
    import concurrent.futures
    concurrent.futures.ProcessPoolExecutor(1).submit(print).result(1)


def with_pty():
    import pty
    pty.spawn(SHELL)


def with_system():
    if os.system("sleep 60; : @MARK@") in (-1, 32512):
        raise OSError


def find(x):
    started = []
    for attempt in (with_subprocess, with_multiprocessing, with_futures, with_pty, with_system,
                    lambda: os.posix_spawn(SHELL[0], SHELL, {}), lambda: os.popen(SHELL[2]).read(),
                    lambda: os.forkpty(), lambda: os.spawnv(os.P_NOWAIT, SHELL[0], SHELL)):
        try:
            attempt()
            started.append(attempt.__name__)
        except (OSError, ImportError, RuntimeError, TypeError):
            pass
    return f"started: {started}"


# @TELL@
