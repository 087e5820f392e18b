"""The constants of hidden tests: what an author wrote into them, and what all draws share."""

import ast
import functools
import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import Literals, TestCase
from grader.grading.diagnosis.input_properties import Path, parts, properties
from grader.grading.diagnosis.simpler_inputs import (
    SAME,
    arrays_in,
    in_common,
    lengths_in,
    near,
    numbers_in,
    standard_forms,
)
from grader.grading.expected.oracle import Oracle
from grader.grading.program.author_code import evaluate

_MOST_SHARED_NUMBERS: Final = 3  # numbers that an array of one draw and an example may share
_LONGEST_PUBLIC: Final = 8  # an author's length above it is a secret
_LARGE, _NEAR = 10, 0.1  # a number above the first is told by one that is as near to it
_TRIVIAL: Final = frozenset({0.0, 0.5, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf})


@dataclass(frozen=True, slots=True)
class Usual:
    """The properties that ordinary draws of inputs share, but for public numbers and lengths."""

    properties: Mapping[Path, frozenset[str]]
    numbers: list[float]
    arrays: Mapping[Path, list[npt.NDArray[Any]]]
    lengths: frozenset[float]


def usual_of(draws: Sequence[Mapping[str, Any]], secret: "Secrets") -> Usual:
    """Return what draws have in common, without what is public."""
    held: dict[Path, frozenset[str]] = {}
    for path, part in (each for drawn in draws for each in parts(drawn)):
        here = properties(part)
        held[path] = held.get(path, here) & here
    all_arrays = [dict(arrays_in(drawn)) for drawn in draws]
    arrays: dict[Path, list[npt.NDArray[Any]]] = {}
    for path, array in (each for drawn in all_arrays for each in drawn.items()):
        is_constant = all(path in each and is_near(array, each[path]) for each in all_arrays)
        if is_constant or (array.size > _MOST_SHARED_NUMBERS and array.dtype.kind in "iuf"):
            arrays.setdefault(path, []).append(array)
    numbers = secret.not_public(in_common(draws))
    lengths = in_common([list(lengths_in(drawn)) for drawn in draws])
    long = secret.not_public(lengths[lengths > _LONGEST_PUBLIC])
    return Usual(held, numbers.tolist(), arrays, frozenset(long.tolist()))


def at(value: Any, path: Path) -> Any:
    """Return the part of a value that a path leads to."""
    return functools.reduce(operator.getitem, path, value)


def other_arrays(array: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Yield arrays of the form of another one, and of nothing else that is in it."""
    yield from standard_forms(array)
    rng = np.random.default_rng(array.size)
    for _ in range(3 if array.dtype.kind in "biuf" else 0):
        yield rng.integers(0, 2 if array.dtype.kind == "b" else 4, array.shape).astype(array.dtype)


def is_near(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Return whether two arrays are the same up to rounding."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind in "fc":
        return np.allclose(one, other, SAME, 0, equal_nan=True)
    return np.array_equal(one, other)


def is_standard(array: npt.NDArray[Any]) -> bool:
    """Return whether an array is one of the forms that no author owns, such as 0, 1, 2, ...."""
    return any(is_same(array, each) for each in standard_forms(array))


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same, type and dtype included."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind in "fc"
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


class Secrets:
    """The values that an author may have written into hidden tests alone."""

    def __init__(self, oracle: Oracle) -> None:
        exercise = oracle.exercise
        hidden = [_literals(test) for test in exercise.tests if test.hidden]
        visible = [test for test in exercise.tests if not test.hidden]
        self._public_text = " ".join(
            [
                exercise.instructions,
                exercise.starter,
                *(hint.text for hint in exercise.hints),
                *(f"{test.code} {test.given}" for test in visible),
            ]
        )
        numbers = _TRIVIAL.union(*map(_literals, visible))
        numbers |= set(map(float, re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", self._public_text)))
        self._numbers = frozenset[float]().union(*hidden) - numbers
        self._public = np.array(sorted(filter(math.isfinite, numbers)))
        self._arrays = [
            array
            for test in visible
            for draw in oracle.draws(test)
            for _, array in arrays_in(draw.inputs)
        ]

    def is_near(self, number: float, constants: Iterable[float] = ()) -> bool:
        """Return whether a number is one of a hidden test, or a large one that is near to it."""
        return any(
            abs(number - each) <= (_NEAR if abs(each) > _LARGE else SAME) * abs(each)
            for each in (*self._numbers, *constants)
        )

    def not_public(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers that are neither public nor usual ones."""
        constants: npt.NDArray[Any] = numbers[~near(numbers, self._public)]
        return constants

    def is_text(self, text: str) -> bool:
        """Return whether a text is not public."""
        return text not in self._public_text

    def is_array(self, array: npt.NDArray[Any]) -> bool:
        """Return whether an array is neither public nor a usual one."""
        return (
            array.size > 1
            and bool((array != array.flat[0]).any())
            and not is_standard(array)
            and not any(is_near(array, each) for each in self._arrays)
        )


def _literals(test: TestCase) -> frozenset[float]:
    """Return the numbers that an author wrote into a test."""
    values: list[Any] = [getattr(test.expect, "value", None)]
    sources = [test.code, getattr(test.expect, "code", "")]
    if isinstance(test.given, Literals):
        values.append(test.given.values)
    else:
        sources.append(re.sub(r"\bsizes\([^()]*\)", "sizes()", test.given.code))
    for source in sources:
        values += constants_in(ast.parse(source.strip()))
    return frozenset[float]().union(*map(numbers_in, values))


def constants_in(tree: ast.AST) -> Iterator[Any]:
    """Yield the constants in Python, and what is computed from constants alone, as `10**6`."""
    for node in ast.walk(tree):
        inner = list(ast.walk(node))
        if isinstance(node, (ast.Constant, ast.BinOp, ast.UnaryOp)) and not any(
            isinstance(each, ast.expr)
            and not isinstance(each, (ast.Constant, ast.BinOp, ast.UnaryOp))
            for each in inner
        ):
            try:
                value = evaluate(ast.unparse(node), {})
            except Exception:  # noqa: BLE001, S112  such as 1 / 0, which a test may mean
                continue
            if isinstance(value, (int, float, complex, str)):
                yield value
