"""The picture of the site: arcs from each letter that the small GPT writes to those it looks at."""

import json
import struct
import zlib
from typing import Final

import numpy as np

_WIDTH, _HEIGHT, _BASE, _MARGIN, _LETTERS = 1200, 630, 575, 60, 60
_GROUND: Final = (11, 22, 32)
_COLOURS: Final = ((245, 180, 84), (98, 210, 224))  # of the blocks, as on the page of the model
_ONE, _MIN_WEIGHT = 35, 0.1  # the digit of a whole; the weight from which an arc is drawn

# Its middle and half its width, its height, its weight, and the block of its head.
Arc = tuple[float, float, float, float, int]


def arcs(record: str) -> list[Arc]:
    """Return the arcs of the first letters, given what the model wrote as JSON."""
    writing = json.loads(record)
    first, step = len(writing["prompt"]), (_WIDTH - 2 * _MARGIN) / (_LETTERS - 1)
    return [
        (
            _MARGIN + step * (at - back / 2),
            wide,
            16 + wide,
            int(digit, 36) / _ONE,
            2 * head // heads,
        )
        for at, each in enumerate(writing["steps"][: _LETTERS - first], start=first)
        for heads in [len(each["heads"])]
        for head, digits in enumerate(each["heads"])
        for back, digit in enumerate(digits[: -at - 1 : -1], start=1)
        for wide in [step * back / 2]
        if int(digit, 36) / _ONE > _MIN_WEIGHT
    ]


def png(drawn: list[Arc]) -> bytes:
    """Draw the arcs, light upon light: for sites that show no SVG of another one."""
    rows, columns = np.mgrid[:_HEIGHT, :_WIDTH]
    light = np.zeros((_HEIGHT, _WIDTH, 3))
    for middle, wide, high, weight, block in drawn:
        box = np.s_[int(_BASE - high - 4) : _BASE, int(middle - wide - 4) : int(middle + wide + 5)]
        x, y = (columns[box] - middle) / wide, (rows[box] - _BASE) / high
        distance = np.hypot(x, y)
        off = np.abs(distance - 1) * distance / np.maximum(np.hypot(x / wide, y / high), 1e-9)
        ink = np.clip(0.6 + 1.4 * weight - off, 0, 1) * weight * min(0.9, 0.2 + wide / 90)
        light[box] += ink[..., None] * (np.array(_COLOURS[block]) - _GROUND)
    pixels = np.clip(_GROUND + light, 0, 255).astype(np.uint8).reshape(_HEIGHT, -1)
    lines = np.pad(pixels, ((0, 0), (1, 0)))  # a zero before each: it is written as it is
    head = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
