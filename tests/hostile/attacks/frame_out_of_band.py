# tries: send urgent bytes and peek at them, a path through the kernel that few have tested
# outcome: failed
# limits: quick
# shows: allowed: \[\]
import gc
import socket

gc.unfreeze()
SOCKETS = [o for o in gc.get_objects() if type(o) is socket.socket]
CONNECTION = next(o for o in SOCKETS if o.fileno() == 3)


def find(x):
    allowed = []
    for name, attempt in {
        "send": lambda: CONNECTION.send(b"\xff", socket.MSG_OOB),
        "sendmsg": lambda: CONNECTION.sendmsg([b"\xff"], [], socket.MSG_OOB),
        "recv": lambda: CONNECTION.recv(1, socket.MSG_OOB | socket.MSG_DONTWAIT),
        "recvmsg": lambda: CONNECTION.recvmsg(1, 0, socket.MSG_OOB | socket.MSG_DONTWAIT),
    }.items():
        try:
            attempt()
            allowed.append(name)
        except OSError:
            pass
    return f"allowed: {allowed}"


# @TELL@
