# tries: open what other processes have open, through their descriptors in /proc
# outcome: failed
# shows: opened: \[\]
import os


def find(x):
    opened = []
    for who in ("@GRADER_PID@", "@ZYGOTE_PID@", "1", str(os.getppid())):
        for number in range(16):
            for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
                try:
                    made = os.open(f"/proc/{who}/fd/{number}", flags)
                except OSError:
                    continue
                if os.fstat(made).st_rdev != os.makedev(1, 3):  # /dev/null may be read by all
                    opened.append((who, number, flags))
                os.close(made)
    return f"opened: {opened}"


# @TELL@
