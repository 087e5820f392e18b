# tries: bind and listen, for somebody else to connect
# outcome: failed
# shows: bound: \[\]
import socket


def find(x):
    bound = []
    for family, address in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, b"\0@ABSTRACT@.l"),
                            (socket.AF_UNIX, "socket")):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                made = socket.socket(family, kind)
                made.bind(address)
                bound.append(address)
                made.listen()
            except OSError:
                pass
    return f"bound: {bound}"


# @TELL@
