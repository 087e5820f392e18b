# Not an attack: the test puts this where an attack says FRAMES. It speaks the language of the
# connection to the grader.
import json
import os
import struct

DEFINED = ["d", "answer", ["d", "callable", True, "type", "function"]]
FACTS = ["d", "names", ["l", "answer"], "defined", DEFINED]


def send(data):
    while data:
        data = data[os.write(3, data):]


def raw(header, body=b""):
    return struct.pack("<II", len(header), len(body)) + header + body


def frame(tree, body=b""):
    return raw(json.dumps(tree, separators=(",", ":")).encode(), body)


def answer_ok(number, value, body=b""):
    return frame(["l", number, "ok", value], body)
