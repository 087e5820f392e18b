# tries: read environment, memory, maps, descriptors and command lines of others from /proc
# outcome: failed
# shows: opened: \[\]
import os

NAMES = ("environ", "mem", "maps", "cmdline", "status", "stat", "auxv", "fd", "fdinfo", "task",
         "root", "cwd", "map_files", "ns", "syscall", "stack", "mountinfo", "pagemap", "smaps", "oom_score_adj")


def find(x):
    opened = []
    for who in ("@GRADER_PID@", "@ZYGOTE_PID@", "1", "self", "thread-self", str(os.getpid()), str(os.getppid())):
        for name in NAMES:
            path = f"/proc/{who}/{name}"
            for attempt in (lambda: open(path, "rb").read(1000), lambda: os.listdir(path),
                            lambda: open(path, "r+b").close()):
                try:
                    opened.append((path, attempt()))
                except OSError:
                    pass
    for path in ("/proc/mounts", "/proc/net/tcp", "/proc/kallsyms", "/proc/sys/kernel/core_pattern",
                 "/proc/cmdline", "/proc/keys", "/proc/sysrq-trigger", "/sys/kernel", "/dev/mem", "/dev/kmsg"):
        try:
            opened.append((path, open(path, "rb").read(1000)))
        except OSError:
            pass
    return f"opened: {opened}"


# @TELL@
