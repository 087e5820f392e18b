"""Submissions made to hold a grader for as long as they can, for the exercise in `held.yaml`."""

from pathlib import Path
from typing import Final

EXERCISE: Final = Path(__file__).with_name("held.yaml")

LIMIT: Final = 2.0
"""Seconds of wall clock that a submission to the exercise `held.yaml` has."""

SOLUTION: Final = "def f(x):\n    return 2 * x\n"

# Forged frames; the child's line to the grader is descriptor 3.
_FRAMES: Final = """\
import json, os, struct, time
def frame(tree):
    header = json.dumps(tree).encode()
    return struct.pack("<II", len(header), 0) + header
"""

_MATRIX: Final = "import numpy as np\ndef f(x):\n    if type(x) is int: return 2 * x\n    "

SUBMISSIONS: Final[dict[str, str]] = {
    "a loop without an end": "def f(x):\n    while True: pass",
    "a sleep": "import time\ndef f(x): time.sleep(600)",
    "a loop while it is loaded": "while True: pass",
    "all the memory there is": (
        "kept = []\ndef f(x):\n    while True: kept.append(bytearray(1 << 20))"
    ),
    "64 MB of integers into a product": f"{_MATRIX}return np.ones((2800, 2800), int)",
    "64 MB of halves into a product": f"{_MATRIX}return np.ones((5600, 5600), np.float16)",
    "as many halves as pass": f"{_MATRIX}return np.ones((720, 720), np.float16)",
    "a long vector into an outer product": f"{_MATRIX}return np.ones((3, 20_000))",
    "a large exponent": "def f(x): return 10**11 if type(x) is int else 2 * x",
    "an exponent that takes memory": "def f(x): return 10**10 if type(x) is int else 2 * x",
    "a long sum": (
        "def f(x):\n"
        "    f.calls = getattr(f, 'calls', 0) + (type(x) is int)\n"
        "    return 10**12 if f.calls > 1 else 2 * x"
    ),
    "containers as nested as may be": (
        "def f(x):\n    value = []\n    for _ in range(20): value = [value]\n"
        "    return [value] * 4000"
    ),
    "as many parts as may be": "def f(x): return [[1.5, (2,)]] * 24_000",
    "a text of a megabyte": "def f(x): return 'x' * 1_000_000",
    "numbers of thousands of digits": "def f(x): return [10**4200] * 200",
    "keys that collide": (
        f"{_FRAMES}tails = [[-1 - (n >> bit & 1) for bit in range(11)] for n in range(2048)]\n"
        "keys = [['t', *[['h', 1, 'k']] * 36, *tail] for tail in tails]\n"
        "os.write(3, frame(['l', 1, 'ok', ['s', *keys]]))"
    ),
    "a byte now and then": (
        f"{_FRAMES}for byte in frame(['l', 1, 'ok', 'x' * 10**5]):\n"
        "    os.write(3, bytes([byte])); time.sleep(0.01)"
    ),
    "many small frames": f"{_FRAMES}while True: os.write(3, frame(['l', 1, 'ok', 1]))",
    "printing to the cap": "def f(x):\n    print('array(np.float64(1), ' * 3000)\n    return x",
    "a message of megabytes": "def f(x): raise ValueError('\\\\x1b' * 10**7)",
    "values that are wrong everywhere": f"{_MATRIX}return np.where(x > 9, 1, np.nan) * x",
    "a wrong answer, the first of all": "def f(x): return 3 * x",
}
