# tries: open connections to listeners of the grader's host: TCP, UDP, Unix, abstract
# outcome: failed
# shows: done: \[\]
import socket

PORT = int("@PORT@")


def stream(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.settimeout(0.3)
        made.connect(address)


def datagram(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as made:
        made.sendto(b"hostile", address)


ATTEMPTS = {
    "tcp": lambda: stream(socket.AF_INET, ("127.0.0.1", PORT)),
    "tcp6": lambda: stream(socket.AF_INET6, ("::1", PORT)),
    "create": lambda: socket.create_connection(("127.0.0.1", PORT), 0.3),
    "udp": lambda: datagram(socket.AF_INET, ("127.0.0.1", int("@UDP_PORT@"))),
    "unix": lambda: stream(socket.AF_UNIX, "@SOCKET_PATH@"),
    "abstract": lambda: stream(socket.AF_UNIX, b"\0@ABSTRACT@"),
    "unix datagram": lambda: datagram(socket.AF_UNIX, b"\0@ABSTRACT@.d"),
    "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "vsock": lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM),
    "alg": lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET),
    "pair": lambda: socket.socketpair(),
    "name": lambda: socket.create_connection(("localhost", PORT), 0.3),
}


# @ATTEMPTS@


# @TELL@
