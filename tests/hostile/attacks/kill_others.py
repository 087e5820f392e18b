# tries: signal its parent, the zygote, the grader, its group and everybody
# outcome: failed
# shows: sent: \[\]
import ctypes
import os
import signal

LIBC = ctypes.CDLL(None, use_errno=True)
GRADER, ZYGOTE = int("@GRADER_PID@"), int("@ZYGOTE_PID@")
# aarch64 has other numbers than x86_64: tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
ARM = os.uname().machine == "aarch64"
TKILL, TGKILL, QUEUE, THREAD_QUEUE = (130, 131, 138, 240) if ARM else (200, 234, 129, 297)


def find(x):
    sent = []
    for pid in (os.getppid() or 2, ZYGOTE, GRADER, 0, -1, -os.getpgrp(), -ZYGOTE, 2, 3):
        for number in (0, signal.SIGCONT, signal.SIGKILL):
            try:
                os.kill(pid, number)
                sent.append(("kill", pid, number))
            except OSError:
                pass
    for pid in (ZYGOTE, GRADER):
        for call, arguments in ((TKILL, (pid, 9)), (TGKILL, (pid, pid, 9)), (QUEUE, (pid, 9, 0)),
                                (THREAD_QUEUE, (pid, pid, 9, 0)), (434, (pid, 0))):
            if LIBC.syscall(call, *arguments) >= 0:
                sent.append((call, pid))
        try:
            os.killpg(pid, signal.SIGKILL)
            sent.append(("killpg", pid))
        except OSError:
            pass
    return f"sent: {sent}"


# @TELL@
