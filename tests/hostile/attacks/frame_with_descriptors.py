# tries: send descriptors along with an answer, to fill the grader's table of open files
# outcome: errored
# shows: PermissionError
# limits: quick
# @FRAMES@
import array
import gc
import socket

gc.unfreeze()
SOCKETS = [o for o in gc.get_objects() if type(o) is socket.socket]
CONNECTION = next(o for o in SOCKETS if o.fileno() == 3)
CALLS = []


def answer(x):
    CALLS.append(x)
    data = answer_ok(len(CALLS) + 1, 0.0)
    descriptors = array.array("i", [0, 1, 2, 3] * 60)
    for byte in data[:50]:
        CONNECTION.sendmsg([bytes([byte])], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
    CONNECTION.sendmsg([data[50:]] if data[50:] else [b"\xff"])
