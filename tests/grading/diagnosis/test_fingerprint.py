"""Fingerprints of results, and when two of them agree."""

from typing import Any

import numpy as np
import pytest

from grader.definitions.exercise import Tolerance
from grader.grading.diagnosis.fingerprint import Fingerprint, make_fingerprint
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Raised, Unsupported

HUGE = 10**5000  # too long for Python to print


def of(got: Any, draw: int = 0) -> Fingerprint:
    """Fingerprint a failed test's value."""
    return make_fingerprint(Outcome.FAILED, RawResult(draw, got, None))


def error(message: str, kind: str = "ValueError", line: int | None = 3) -> Raised:
    """Make an error with or without a line of the program's."""
    return Raised(kind, (kind,), message, ((line, "f"),) if line else ())


@pytest.mark.parametrize(
    "value",
    [
        None, "a", 1, 1.5, float("nan"), 1j, HUGE, [HUGE], {"a": [1, (2, None)]}, {HUGE: 1},
        np.zeros((0, 3)), np.array([1, "a"], dtype=object), np.array(["a"]), np.full(3, np.nan),
        np.array([1 + 2j]), np.eye(3) > 0, [[]] * 99, Unsupported("set", ""),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_any_value_has_a_fingerprint(value: object) -> None:
    """A fingerprint can be made of all that comes out of the sandbox, and agrees with itself."""
    assert of(value).agrees(of(value), None)
    assert not of(value).agrees(of("something else"), None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.ones(3), np.ones(3) * (1 + 1e-12)),
        (np.ones(3, np.float32), np.full(3, 1 + 1e-6, np.float32)),
        ("x = 0.30000000000000004\n", "x = 0.3\n"),
        (error("shapes (3,4) and (5,4) not aligned: 4 (dim 1) != 5 (dim 0)"), error(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            "signature (n?,k),(k,m?)->(n?,m?) (size 5 is different from 4)")),
    ],
)  # fmt: skip
def test_the_same_but_for_rounding_agrees(one: object, other: object) -> None:
    """Another order of the same operations makes no other result."""
    assert of(one).agrees(of(other), None)
    assert of(other).agrees(of(one), None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.ones(3), np.ones(3) * (1 + 1e-5)),
        (np.ones(3), np.ones((3, 1))),
        (np.ones(3), np.ones(3, int)),
        (np.ones(3), np.ones(3, complex)),
        (np.ones(3, bool), np.ones(3, int)),
        (np.array([np.nan, 1.0]), np.array([1.0, np.nan])),
        (np.array([np.inf, 1.0]), np.array([-np.inf, 1.0])),
        ((1.0, 2.0), [1.0, 2.0]),
        ("x = 0.3", "x = 0.4"),
        (error("a"), error("b")),
        (error("a"), error("a", "TypeError")),
        (error("a"), error("a", line=None)),
    ],
)
def test_other_results_do_not_agree(one: object, other: object) -> None:
    """A value, shape, dtype, word or error of another kind is another result."""
    assert not of(one).agrees(of(other), None)


@pytest.mark.parametrize(
    ("one", "other"),
    [(np.ones(3), np.ones(3, np.float32)), (np.ones(3, int), np.ones(3, np.uint8))],
)
def test_the_width_of_a_dtype_counts_where_grading_says_so(one: object, other: object) -> None:
    """A wider float makes no difference to grading, and so none between two mistakes."""
    assert of(one).agrees(of(other), None)
    narrow = [
        make_fingerprint(
            Outcome.FAILED, RawResult(0, value, None, difference_kind=DifferenceKind.DTYPE)
        )
        for value in (one, other)
    ]
    assert not narrow[0].agrees(narrow[1], None)


def test_draws_and_sharp_tolerances_count() -> None:
    """Another draw is another failure; a test that wants exact zeros is compared as sharply."""
    tiny, tinier = np.array([1.0, 1e-22]), np.array([1.0, 1e-30])
    assert not of(tiny).agrees(of(tiny, draw=1), None)
    assert of(tiny).agrees(of(tinier), None)
    assert of(tiny).agrees(of(tinier), Tolerance(1e-3, 1e-3))
    assert not of(tiny).agrees(of(tinier), Tolerance(0.0, 1e-7))


def test_large_arrays_are_kept_small() -> None:
    """A few hundred values of a large array are kept, and a few dozen parts of a container."""
    assert of(np.random.default_rng(0).standard_normal((500, 500))).numbers.size <= 256
    assert of([np.ones(1000)] * 1000).numbers.size <= 32 * 256


@pytest.mark.parametrize(
    ("value", "tells"),
    [
        (np.array([0.25]), True), (np.array([1.0, 2.0, 3.0, 4.0]), True), ("0.25", True),
        (np.zeros(9), False), (np.array([1.0, 2.0]), False), (None, False), (3, False),
        ("(3, 3)", False), (np.full(9, np.nan), False), (error("my own"), False),
        (error("cannot reshape array of size 6 into shape (4,)"), True),
    ],
)  # fmt: skip
def test_only_some_results_tell_a_mistake(value: object, tells: bool) -> None:
    """What many unfinished programs give says nothing of one mistake."""
    assert of(value).is_distinctive is tells
