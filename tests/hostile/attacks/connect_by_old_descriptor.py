# tries: turn the connection it was given into another one: connect, bind, listen, accept
# outcome: failed
# shows: did: \[\]
import ctypes
import os
import socket
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
ADDRESS = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(int("@PORT@")), bytes([127, 0, 0, 1]))
UNSPECIFIED = struct.pack("=H14x", 0)


def find(x):
    did = []
    for name, arguments in {
        "connect": (3, ADDRESS, 16), "bind": (3, ADDRESS, 16), "listen": (3, 5), "accept": (3, None, None),
        "shutdown": (3, 2), "getsockname": (3, bytes(16), bytes([16, 0, 0, 0])),
        "setsockopt": (3, 1, 7, bytes([0, 0, 1, 0]), 4), "getpeername": (3, bytes(16), bytes([16, 0, 0, 0])),
    }.items():
        if getattr(LIBC, name)(*arguments) >= 0:
            did.append(name)
    if LIBC.connect(3, UNSPECIFIED, 16) >= 0:
        did.append("disconnect")
    if LIBC.sendto(3, b"", 0, 0, ADDRESS, 16) >= 0:
        did.append("sendto")
    return f"did: {did}"


# @TELL@
