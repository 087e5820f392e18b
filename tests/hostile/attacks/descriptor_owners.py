# tries: have the kernel send signals to others for its descriptors, and type into a terminal
# outcome: failed
# shows: allowed: \[\]
import fcntl


def find(x):
    allowed = []
    for descriptor in range(4):
        for command in (8, 10, 15, 16, 26, 1024, 1026, 1031, 1033, 1036, 5, 6, 7, 36, 37, 38):
            for value in (int("@GRADER_PID@"), 9):
                try:
                    fcntl.fcntl(descriptor, command, value)
                    allowed.append(("fcntl", descriptor, command))
                except OSError as error:
                    if error.errno != 1:
                        allowed.append(("fcntl", descriptor, command, error.errno))
        # TIOCSTI, TIOCSCTTY, TIOCNOTTY, TIOCCONS, TIOCLINUX, FIOASYNC, FIOSETOWN, SIOCSPGRP, FS_IOC_SETFLAGS
        for request in (0x5412, 0x540E, 0x5422, 0x541D, 0x541C, 0x5452, 0x8901, 0x8902, 0x40086602):
            try:
                fcntl.ioctl(descriptor, request, b"\0" * 8)
                allowed.append(("ioctl", descriptor, hex(request)))
            except OSError as error:
                if error.errno != 1:
                    allowed.append(("ioctl", descriptor, hex(request), error.errno))
    return f"allowed: {allowed}"


# @TELL@
