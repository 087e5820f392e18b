"""The site's picture: arcs between the letters that the small GPT writes, by its attention."""

import json
import struct
import zlib
from typing import Final

import numpy as np

_WIDTH, _HEIGHT, _BASE, _MARGIN, _LETTERS = 1200, 630, 575, 60, 60
_GROUND: Final = (11, 22, 32)
_COLOURS: Final = ((245, 180, 84), (98, 210, 224))  # colours of the blocks, as on the model's page
_DIGIT_OF_ONE: Final = 35  # the digit, in base 36, that stands for a weight of 1
_MIN_WEIGHT: Final = 0.1  # the smallest weight with an arc

# Middle, half width, height, weight, and the block of the head.
Arc = tuple[float, float, float, float, int]


def list_arcs(record: str) -> list[Arc]:
    """Return the arcs of the first letters, given the model's record as JSON."""
    writing = json.loads(record)
    first, step = len(writing["prompt"]), (_WIDTH - 2 * _MARGIN) / (_LETTERS - 1)
    result = []
    for position, letter in enumerate(writing["steps"][: _LETTERS - first], start=first):
        heads = letter["heads"]
        for head, digits in enumerate(heads):
            # The weights of the letters before, the nearest first.
            for distance, digit in enumerate(digits[: -position - 1 : -1], start=1):
                weight = int(digit, 36) / _DIGIT_OF_ONE
                if weight > _MIN_WEIGHT:
                    middle = _MARGIN + step * (position - distance / 2)
                    half_width = step * distance / 2
                    block = 2 * head // len(heads)
                    result.append((middle, half_width, 16 + half_width, weight, block))
    return result


def draw_png(drawn: list[Arc]) -> bytes:
    """Draw the arcs with additive colours as PNG, for sites that refuse foreign SVGs."""
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
    # The zero before each row means that it is not filtered.
    lines = np.pad(pixels, ((0, 0), (1, 0)))
    head = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
