"""The warm-up of the zygote with a submission of our own.

Python specializes code that has run a few times, and creates many objects on first use. Each child
inherits them from the zygote.
"""

import socket

import numpy as np

from . import wire
from .operations import remove_submission
from .request_loop import RequestLoop

_TIMES = 12  # Python specializes code after eight calls

_SUBMISSION = """
import numpy as np


def weights(x, scale=1.0):
    x = np.asarray(x) * scale
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.where(x > 0, x @ self.w, x.mean(axis=0)).reshape(-1)
"""


def warm_up() -> None:
    """Answer requests about a submission of our own, then remove it."""
    ours, theirs = socket.socketpair()
    x = np.ones((4, 4))
    requests = [
        ("load", _SUBMISSION, ["weights", "Layer"]),
        ("call", "weights", [x], {}),
        ("warnings", "changes", "call", "weights", [x.tolist()], {"scale": 2.0}),
        ("call", "Layer", [x], {}),
        ("method", wire.Handle(0, "Layer"), "__call__", [x], {}),
        ("attribute", wire.Handle(0, "Layer"), "w"),
        ("call", "weights", [(1, None), "text"], {}),
        ("run", "assert weights(x).shape == x.shape", {"x": x}),
    ]
    with ours, theirs:
        for _ in range(_TIMES):
            loop = RequestLoop(theirs)
            for number, request in enumerate(requests):
                ours.sendall(wire.encode([number, *request]))
                loop.answer_next()
                ours.recv(1 << 16)
    remove_submission()
