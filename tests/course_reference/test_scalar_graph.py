"""Gradients of numbers, against PyTorch and by hand."""

import pytest
from learning_reference.scalar_graph import Value, slopes, tape_slopes

from tests.course_reference.conftest import recorded

RECORD = recorded("scalar_graph")


def formula(a: Value, b: Value, c: Value) -> Value:
    d = a * b + c
    e = (d * d + 2 * a).relu()
    return e * d + (b * c).relu() + 3


@pytest.mark.parametrize("case", RECORD["cases"])
def test_slopes_are_those_of_pytorch(case: dict[str, list[float]]) -> None:
    """A formula whose values are used several times and at several depths."""
    assert slopes(formula, case["numbers"]) == pytest.approx(case["slopes"], rel=1e-12)


def test_a_graph_may_be_deeper_than_python_s_stack() -> None:
    """Three thousand sums in a row; each adds the input once more."""
    x = Value(1.5)
    total = x
    for _ in range(3_000):
        total = total + x
    total.backward()
    assert (total.data, x.grad) == (4_501.5, 3_001.0)


def test_a_tape_adds_up_the_uses_of_a_step() -> None:
    """The square of a step, times the step: the slope is three times the square."""
    x = 2.0
    tape = [[], [(0, x), (0, x)], [(1, x), (0, x * x)]]
    assert tape_slopes(tape) == [3 * x * x, x, 1.0]
