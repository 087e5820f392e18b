"""Time to audit an assignment whose tests take 10 ms each."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.commands import run
from benchmarks.result_tables import Aim, Section
from benchmarks.workload import WrongVerdictError

_ETUDE: Final = str(Path(sys.executable).with_name("etude"))
_TESTS, _QUICK_TESTS = 20, 4
_MAX_SECONDS: Final = 60.0
_HAS_HOLES: Final = 1

_SOLUTION: Final = '''"""One block of a transformer."""

import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, bias, epsilon=1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + epsilon) + bias


def attention(Q, K, V, causal=True):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if causal:
        n, m = scores.shape[-2], scores.shape[-1]
        allowed = np.tril(np.ones((n, m), dtype=bool))
        scores = np.where(allowed, scores, -1e9)
    return softmax(scores) @ V


def heads_of(x, heads):
    n, d = x.shape
    return np.transpose(np.reshape(x, (n, heads, d // heads)), (1, 0, 2))


def joined(x):
    heads, n, d = x.shape
    return np.reshape(np.transpose(x, (1, 0, 2)), (n, heads * d))


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def positions(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2)[None, :] / d)
    found = np.zeros((n, d))
    found[:, 0::2] = np.sin(angles)
    found[:, 1::2] = np.cos(angles)
    return found


def rms_norm(x, epsilon=1e-6):
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + epsilon)


def weights_of_neighbours(x, width=1.5):
    squared = np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    return softmax(-squared / (2 * width**2))


def rotated(x, base=100):
    n, d = x.shape
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2)[None, :] / d)
    even, odd = x[:, 0::2], x[:, 1::2]
    found = np.empty_like(x)
    found[:, 0::2] = even * np.cos(angles) - odd * np.sin(angles)
    found[:, 1::2] = even * np.sin(angles) + odd * np.cos(angles)
    return found


def block(x, heads=2):
    n, d = x.shape
    x = x + positions(n, d)
    normed = layer_norm(x, 1.0, 0.0)
    split = heads_of(normed, heads)
    x = rotated(x + joined(attention(split, split, split)))
    x = x + weights_of_neighbours(x) @ rms_norm(x)
    return x + gelu(layer_norm(x, 2.0, 0.5))


def loss(logits, targets):
    found = softmax(logits)[np.arange(len(targets)), targets]
    return -np.mean(np.log(found + 1e-12))
'''
_TEST_HEAD: Final = """import time

import numpy as np
import pytest

from solution import block, loss


@pytest.fixture(autouse=True)
def ten_milliseconds():
    until = time.process_time() + 0.01
    while time.process_time() < until:
        pass
    yield

"""
_TEST: Final = """
def test_{number}():
    x = np.random.default_rng({number}).normal(size=({size}, 4))
    found = block(x)
    assert found.shape == x.shape
    assert {least:.2f} < loss(found, np.zeros({size}, int)) < {most:.2f}

"""

_NOTES: Final = """\
- The assignment: eleven functions, {tests} tests, each 10 ms of CPU and a call that reaches all of
  them. The tests compare within 5 %, so some of the wrong programs survive.
- All of `etude audit`, with its checks, the calls that tell survivors apart, and proven tests.
- a mutant: wall seconds divided by their number.
"""


def measure(*, quick: bool) -> Section:
    """Audit the assignment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_assignment(folder, _QUICK_TESTS if quick else _TESTS)
        usage = run(
            (_ETUDE, "audit", ".", "--format", "json", "--output", "../audit.json"), folder, {}
        )
        report = folder.parent / "audit.json"
        if usage.status not in {0, _HAS_HOLES}:
            raise WrongVerdictError(f"the audit failed:\n{usage.printed}")
        (audit,) = json.loads(report.read_text(encoding="utf-8"))["audits"]
        report.unlink()
        count = audit["distinguishable"] + len(audit["equivalent"])
    aims = [] if quick else [Aim(f"audit, {count} mutants", usage.wall, _MAX_SECONDS, "s")]
    columns = ("mutants", "wall s", "CPU s", "a mutant s")
    row = (str(count), f"{usage.wall:.1f}", f"{usage.cpu:.1f}", f"{usage.wall / count:.3f}")
    notes = _NOTES.format(tests=_QUICK_TESTS if quick else _TESTS)
    return Section("audit: mutation of an assignment", columns, [row], notes, aims)


def write_assignment(folder: Path, tests: int) -> None:
    """Write a solution and its tests."""
    (folder / "solution.py").write_text(_SOLUTION, encoding="utf-8")
    space: dict[str, object] = {}
    exec(_SOLUTION, space)  # noqa: S102  our own text
    texts = [_TEST_HEAD]
    for number in range(tests):
        size = 3 + number % 4
        right = _loss(space, number, size)
        texts.append(_TEST.format(number=number, size=size, least=0.95 * right, most=1.05 * right))
    (folder / "test_solution.py").write_text("".join(texts), encoding="utf-8")


def _loss(space: dict[str, object], number: int, size: int) -> float:
    text = (
        f"loss(block(np.random.default_rng({number}).normal(size=({size}, 4))), "
        f"np.zeros({size}, int))"
    )
    return float(eval(text, space))  # noqa: S307  our own text
