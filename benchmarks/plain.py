"""The yardstick of warm grading: fork, run, compare, without any protection.

Standard library, NumPy and the reference only, and as fast as a plain fork of Python gets.
"""

import gc
import os
import pickle
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import NoReturn

import numpy as np

from benchmarks import material
from reference.arrays import FloatArray
from reference.softmax import softmax


def serve(connection: Connection) -> None:
    """Grade as many submissions as each message says, and answer with their seconds."""
    streams = map(np.random.default_rng, range(material.TESTS))
    inputs = [rng.standard_normal(material.SHAPE) for rng in streams]
    expected = [softmax(x) for x in inputs]
    gc.freeze()  # the heap stays shared with the children, as it does in the sandbox
    connection.send("")
    number = 0
    while wanted := connection.recv():
        times = []
        for number in range(number, number + wanted):  # noqa: B020  goes on where it was
            begin = time.perf_counter()
            passed = _grade(material.source(number), inputs, expected)
            times.append(time.perf_counter() - begin)
            if not passed:
                return
        connection.send(times)


def _grade(source: str, inputs: Sequence[FloatArray], expected: Sequence[FloatArray]) -> bool:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(source, inputs, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        got = pickle.load(answers)  # noqa: S301  what a grader must not do, and the fastest way
    os.waitpid(child, 0)
    return all(np.allclose(a, b, rtol=1e-7, atol=1e-9) for a, b in zip(got, expected, strict=True))


def _answer(source: str, inputs: Sequence[FloatArray], writer: int) -> NoReturn:
    try:
        namespace: dict[str, object] = {}
        exec(compile(source, "submission.py", "exec"), namespace)  # noqa: S102  our own solution
        function = namespace["softmax"]
        assert callable(function)  # for the type checker
        with os.fdopen(writer, "wb") as answers:
            pickle.dump([function(x) for x in inputs], answers)
    finally:
        os._exit(0)
