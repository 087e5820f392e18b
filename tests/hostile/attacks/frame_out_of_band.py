# tries: send urgent bytes and peek at them, a path through the kernel that few have tested
# outcome: failed
# limits: quick
# shows: done: \[\]
import gc
import socket

gc.unfreeze()
SOCKETS = [o for o in gc.get_objects() if type(o) is socket.socket]
CONNECTION = next(o for o in SOCKETS if o.fileno() == 3)


ATTEMPTS = {
    "send": lambda: CONNECTION.send(b"\xff", socket.MSG_OOB),
    "sendmsg": lambda: CONNECTION.sendmsg([b"\xff"], [], socket.MSG_OOB),
    "recv": lambda: CONNECTION.recv(1, socket.MSG_OOB | socket.MSG_DONTWAIT),
    "recvmsg": lambda: CONNECTION.recvmsg(1, 0, socket.MSG_OOB | socket.MSG_DONTWAIT),
}


# @ATTEMPTS@


# @TELL@
