"""The constants of hidden tests: literals that an author wrote, and values in all draws."""

import ast
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import Literals, TestCase, Tolerance
from grader.grading.comparison.compare import compare
from grader.grading.comparison.nested_values import ValuePath
from grader.grading.diagnosis.input_values import (
    Array,
    arrays_in,
    axes_in,
    keys_in,
    numbers_in,
    parts,
    texts_in,
)
from grader.grading.diagnosis.simpler_inputs import MAX_NUMBERS, standard_forms
from grader.grading.expected.oracle import Oracle
from grader.grading.program.author_code import evaluate

_SAME: Final = Tolerance(0.0, 1e-5)  # the deviation up to which numbers count as the same
_MAX_SHARED_NUMBERS: Final = 3  # size of an array up to which an example may share it with a draw
_MAX_PUBLIC_LENGTH: Final = 8  # a constant length above this is a secret
_LARGE, _NEAR = 10, 0.1  # relative distance that reveals a secret number above `_LARGE`
_TRIVIAL: Final = frozenset({0.0, 0.5, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf})


class PublicValues:
    """The values that a learner may know, and the numbers that only hidden tests contain."""

    def __init__(self, oracle: Oracle) -> None:
        exercise = oracle.exercise
        visible = [test for test in exercise.tests if not test.hidden]
        self._text = " ".join(
            [
                exercise.instructions,
                exercise.starter,
                *(hint.text for hint in exercise.hints),
                *(f"{test.code} {test.given}" for test in visible),
            ]
        )
        numbers = _TRIVIAL.union(*map(_find_literals, visible))
        numbers |= set(map(float, re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", self._text)))
        self._numbers = np.array(sorted(filter(math.isfinite, numbers)))
        self._arrays = [
            array
            for test in visible
            for draw in oracle.draws(test)
            for _, array in arrays_in(draw.inputs)
        ]
        hidden = [_find_literals(test) for test in exercise.tests if test.hidden]
        self.hidden_numbers = frozenset[float]().union(*hidden) - numbers

    def has_texts(self, value: Any) -> bool:
        """Return whether all strings in a value are public."""
        return all(text in self._text for text in texts_in(value))

    def has_array(self, array: Array) -> bool:
        """Return whether an array is public, constant or of a standard form."""
        return (
            array.size <= 1
            or not (array != array.flat[0]).any()
            or is_standard(array)
            or any(_is_near(array, shown) for shown in self._arrays)
        )

    def without_public(self, numbers: Array) -> list[float]:
        """Return the numbers that are neither public nor trivial."""
        secret: list[float] = numbers[~_find_near(numbers, self._numbers)].tolist()
        return secret


class Secrets:
    """The values that all draws of a hidden test share, or that occur only in hidden tests."""

    def __init__(self, draws: Sequence[Mapping[str, Any]], public: PublicValues) -> None:
        self._public = public
        self._numbers = [*public.hidden_numbers, *public.without_public(_find_shared(draws))]
        lengths = _find_shared([[length for *_, length in axes_in(drawn)] for drawn in draws])
        self._lengths = set(public.without_public(lengths[lengths > _MAX_PUBLIC_LENGTH]))
        self._arrays: dict[ValuePath, list[Array]] = {}
        arrays = [dict(arrays_in(drawn)) for drawn in draws]
        for path, array in itertools.chain.from_iterable(drawn.items() for drawn in arrays):
            is_constant = all(path in drawn and _is_near(array, drawn[path]) for drawn in arrays)
            if is_constant or (array.size > _MAX_SHARED_NUMBERS and array.dtype.kind in "iuf"):
                self._arrays.setdefault(path, []).append(array)

    def _has_number(self, number: float) -> bool:
        """Return whether a number is a secret, or close enough to reveal one."""
        return any(
            abs(number - secret) <= (_NEAR if abs(secret) > _LARGE else _SAME.rtol) * abs(secret)
            for secret in self._numbers
        )

    def _has_array(self, path: ValuePath, array: Array) -> bool:
        is_drawn = any(_is_near(array, drawn) for drawn in self._arrays.get(path, ()))
        return is_drawn and not self._public.has_array(array)

    def has_any_in(self, code: str, inputs: Mapping[str, Any]) -> bool:
        """Return whether a call's constant, or a value, key or length in its inputs, is secret."""
        constants, values = list(find_constants(ast.parse(code))), list(inputs.values())
        return (
            len(set(texts_in(values))) > 1  # several public texts together may be a hidden test's
            or not self._public.has_texts([*values, *constants])
            or any(map(self._has_number, numbers_in([*constants, *keys_in(values)])))
            or any(length in self._lengths for *_, length in axes_in(inputs))
            or self.has_values_in(inputs)
        )

    def has_values_in(self, inputs: Mapping[str, Any]) -> bool:
        """Return whether an array, or a number in an array without a standard form, is secret."""
        numbers = [part for _, part in parts(inputs) if not np.ndim(part) or not is_standard(part)]
        return any(map(self._has_number, numbers_in(numbers))) or any(
            self._has_array(path, array) for path, array in arrays_in(inputs)
        )


def is_standard(array: Array) -> bool:
    """Return whether an array has a standard form, such as 0, 1, 2, ..."""
    return any(np.array_equal(array, form) for form in standard_forms(array))


def _is_near(one: Array, other: Array) -> bool:
    return one.dtype == other.dtype and compare(one, other, _SAME) is None


def _find_near(numbers: Array, others: Array) -> Array:
    """Return a mask of the numbers that equal one of `others`, which is sorted, up to rounding."""
    if not others.size:
        return np.zeros(numbers.shape, bool)
    after = np.searchsorted(others, numbers)
    below, above = (others[np.clip(after + step, 0, others.size - 1)] for step in (-1, 0))
    return np.isclose(numbers, below, _SAME.rtol, 0) | np.isclose(numbers, above, _SAME.rtol, 0)


def _find_shared(values: Sequence[Any]) -> Array:
    """Return the sorted finite numbers that occur in all values, as keys too.

    Large arrays are ignored.
    """
    common: Array | None = None
    for value in values:
        small = [part for _, part in parts(value) if np.size(part) <= MAX_NUMBERS * 4]
        numbers = np.array(sorted(filter(math.isfinite, numbers_in([small, *keys_in(value)]))))
        common = numbers if common is None else common[_find_near(common, numbers)]
    return np.array([]) if common is None else common


def _find_literals(test: TestCase) -> frozenset[float]:
    """Return the numbers that an author wrote into a test."""
    values: list[Any] = [getattr(test.expect, "value", None)]
    sources = [test.code, getattr(test.expect, "code", "")]
    if isinstance(test.given, Literals):
        values.append(test.given.values)
    else:
        sources.append(re.sub(r"\bsizes\([^()]*\)", "sizes()", test.given.code))
    for source in sources:
        values += find_constants(ast.parse(source.strip()))
    return numbers_in(values)


def find_constants(tree: ast.AST) -> Iterator[Any]:
    """Yield the constants in Python code, and values computed only from constants, as `10**6`."""
    computed = (ast.Constant, ast.BinOp, ast.UnaryOp)
    for node in ast.walk(tree):
        if isinstance(node, computed) and all(
            isinstance(part, computed) for part in ast.walk(node) if isinstance(part, ast.expr)
        ):
            try:
                value = evaluate(ast.unparse(node), {})
            except Exception:  # noqa: BLE001, S112  such as 1 / 0, which a test may contain
                continue
            if isinstance(value, (int, float, complex, str)):
                yield value
