"""The shapes of the values that each line of a submission makes in the call of a visible test."""

import inspect
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from grader.definitions.exercise import TestCase, TestId
from grader.grading.diagnosis.in_child import shape_tracer
from grader.grading.expected.oracle import Oracle
from grader.grading.jobs import find_limits
from grader.grading.program.loaded_program import put_files
from grader.grading.results.verdict import LineShape, Outcome, TestResult
from grader.sandbox.answers import ChildGoneError, Returned
from grader.sandbox.in_child.wire import UnsupportedValueError
from grader.sandbox.printable import printable

_WALL_SECONDS: Final = 2.0  # wall-clock limit of the traced run, in seconds
_KINDS: Final = ("call", "property", "output")  # kinds of test whose code only calls the program


def trace_shapes(
    oracle: Oracle, source: str, results: Mapping[TestId, TestResult]
) -> tuple[LineShape, ...]:
    """Return the shape of the last value of each line in the first visible test that failed.

    If no visible test failed, the first one is used. The result is empty if the program takes too
    long.
    """
    test = _choose_test(oracle, results)
    if test is None:
        return ()
    limits = replace(find_limits(oracle.exercise), cpu_seconds=1, wall_seconds=_WALL_SECONDS)
    with suppress(ChildGoneError, UnsupportedValueError), oracle.sandbox.child(limits) as child:
        inputs = oracle.inputs(test, oracle.draws(test)[0])
        child.start()
        put_files(child, oracle.exercise.data, oracle.exercise.id)
        child.load(inspect.getsource(shape_tracer), [])
        answer = child.call("line_shapes", [source, test.code.strip(), dict(inputs)], {})
        if isinstance(answer, Returned) and isinstance(answer.value, list):
            return tuple(shape for item in answer.value if (shape := _parse_shape(item)))
    return ()


def _choose_test(oracle: Oracle, results: Mapping[TestId, TestResult]) -> TestCase | None:
    visible = [test for test in oracle.exercise.tests if not test.hidden and test.kind in _KINDS]
    failed = (t for t in visible if t.id in results and results[t.id].outcome != Outcome.PASSED)
    return next(failed, next(iter(visible), None))


def _parse_shape(answer: object) -> LineShape | None:
    """Parse a shape from a child's answer, which is not trusted; return None if malformed."""
    match answer:
        case [int(line), str(name), str(kind), list(lengths)] if all(
            type(length) is int for length in lengths
        ):
            return LineShape(line, printable(name)[:40], printable(kind)[:40], tuple(lengths[:32]))
    return None
