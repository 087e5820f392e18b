"""`holds`: check a property that every right answer has.

Each property changes inputs, calls the submission again and looks for a breach. The changes are
drawn from the test's own seeded stream. The number of calls is bounded for inputs of any size.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import PropertyTest, Tolerance
from grader.definitions.properties import PROPERTIES
from grader.errors import DefinitionError, EtudeError
from grader.grading.checks.judgement import (
    Check,
    DiffersError,
    Judgement,
    evaluate_expression,
    find_changed_input,
    unusable_difference,
)
from grader.grading.comparison.compare import (
    EXACT,
    NUMERIC,
    Difference,
    compare,
    compare_shapes,
    first_index,
    is_masked,
    usual_tolerance,
)
from grader.grading.comparison.nested_values import map_parts, walk
from grader.grading.expected.inputs import generator
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.author_code import TooLargeError, TooLongError
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.proxies import NoValueError
from grader.grading.program.requests import Requests
from grader.grading.program.value_copies import freeze_arrays
from grader.grading.results.raw_result import DifferenceKind
from grader.sandbox.answers import ChildGoneError

_Array: TypeAlias = npt.NDArray[Any]
_Inputs: TypeAlias = Mapping[str, Any]

_LARGE = 1e4  # factor for inputs, large enough to make an unstable formula overflow
_STEP = 1e-5  # step of central differences, a compromise between rounding and truncation error
_CLOSE_TO_STEP = Tolerance(1e-6, 1e-4)
# Entries of a gradient that are checked one by one. One random direction then covers all entries.
_MAX_ENTRIES = 8
_NOT_FROM_THE_FORM = (  # errors that do not come from the form of a result
    DiffersError, NoValueError, ChildGoneError, EtudeError, MemoryError, TooLargeError,
    TooLongError,
)  # fmt: skip
_PERTURBATIONS = 1  # stream number of the changes, so that they do not correlate with the inputs


class PropertyCheck(Check[PropertyTest]):
    """The trial of a property, which calls the submission again with changed inputs."""

    def judge(self, program: LoadedProgram, oracle: Oracle, draw: Draw) -> Judgement:
        """Try the property on one draw."""
        test = self.test
        if test.against is None and PROPERTIES[test.holds].needs_against:
            raise DefinitionError.at(
                test.where, f"test {test.id!r}: holds {test.holds} needs 'against'"
            )
        keep_inputs = test.holds == "unchanged_inputs"
        requests = Requests(program, test.where, keep_inputs=keep_inputs, max_bytes=draw.max_bytes)
        bindings = program.bindings(requests)

        def value(code: str, changes: _Inputs) -> Any:
            return evaluate_expression(
                code, {**bindings, **oracle.inputs(test, draw), **freeze_arrays(changes)}
            )

        call = functools.partial(value, test.call)
        against = functools.partial(value, test.against or "None")
        inputs = oracle.inputs(test, draw)
        result = evaluate_expression(test.call, {**bindings, **inputs})
        rng = generator(oracle.exercise, test, draw.number, _PERTURBATIONS)
        property_draw = _PropertyDraw(test, draw.inputs, call, against, result, rng)
        try:
            _require_finite(result)
            if other_shape := compare_shapes(draw.shapes, result):
                return Judgement(other_shape)
            difference = _CHECKS[test.holds](property_draw)
        except _NOT_FROM_THE_FORM:
            raise
        except Exception as error:  # noqa: BLE001  results have any form
            difference = unusable_difference(f"holds: {test.holds}", error)
        if difference is None:
            difference = find_changed_input(requests, inputs, test.call, is_right=False)
        return Judgement(difference, result)


@dataclass(frozen=True, slots=True)
class _PropertyDraw:
    """One draw of a property test."""

    test: PropertyTest
    inputs: _Inputs
    call: Callable[[_Inputs], Any]  # returns the submission's result with some inputs replaced
    against: Callable[[_Inputs], Any]  # the same for the test's `against` expression
    first: Any  # the result for the unchanged inputs
    rng: np.random.Generator

    def differs(self, expected: object, got: object) -> Difference | None:
        """Compare two results of the submission.

        Without a tolerance of the author's, the widest dtype of inputs and result decides how close
        numbers must be. So a submission cannot loosen the test by returning a narrower dtype.
        """
        if self.test.tolerance is not None:
            return compare(expected, got, self.test.tolerance)
        arrays = [*_arrays(list(self.inputs.values())), *_arrays(self.first)]
        fractions = [array.dtype for array in arrays if array.dtype.kind in "fc"]
        dtype = np.result_type(*fractions) if fractions else np.dtype(np.float64)
        return compare(expected, got) or compare(expected, got, usual_tolerance(dtype))

    @property
    def varied_inputs(self) -> dict[str, _Array]:
        """The inputs to change: those that the test names, or every array of floats."""
        names = self.test.of or tuple(
            name
            for name, value in self.inputs.items()
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        )
        if not names:
            raise self.definition_error("there is no array of floats in given")
        for name in names:
            value = self.inputs.get(name)
            if not isinstance(value, np.ndarray) or value.ndim == 0:
                raise self.definition_error(f"{name!r} is no array in given")
        return {name: self.inputs[name] for name in names}

    def axis(self, array: _Array, usual: int = -2) -> int:
        """Return the property's axis of an input.

        Raises:
            DefinitionError: The input has no such axis.
        """
        if self._has_axis(array):
            return self._axis(array, usual)
        raise self.definition_error(
            f"there is no axis {self.test.axis} in an array of {array.ndim}"
        )

    def axis_of_result(self, array: _Array, usual: int = -2) -> int:
        """Return the property's axis of a result.

        Raises:
            DiffersError: The result has no such axis.
        """
        if self._has_axis(array):
            return self._axis(array, usual)
        facts = {"axis": self.test.axis, "ndim": array.ndim}
        raise DiffersError(Difference(DifferenceKind.SHAPE, "no-axis", facts))

    def _has_axis(self, array: _Array) -> bool:
        return self.test.axis is None or -array.ndim <= self.test.axis < array.ndim

    def _axis(self, array: _Array, usual: int) -> int:
        return max(usual, -array.ndim) if self.test.axis is None else self.test.axis

    def with_inputs(self, changes: _Inputs) -> Any:
        """Return the result with some inputs replaced."""
        return _require_finite(self.call(changes))

    def definition_error(self, message: str) -> Exception:
        """Return the error for a test that cannot be tried."""
        where = f"test {self.test.id!r}: holds {self.test.holds}"
        return DefinitionError.at(self.test.where, f"{where}: {message}")


def _require_finite(result: Any) -> Any:
    """Return a result, or raise `DiffersError` if no finite number is in it."""
    if not any(np.isfinite(array).any() for array in _arrays(_require_numbers(result))):
        raise DiffersError(Difference(DifferenceKind.NOT_FINITE, "no-finite-number"))
    return result


def _require_numbers(result: Any) -> Any:
    """Return a result, or raise `DiffersError` if it is not made of numbers."""
    if result is None:
        raise DiffersError(Difference(DifferenceKind.NOTHING, "none", {"expected": 0.0}))
    if not any(array.size for array in _arrays(result)):
        raise DiffersError(Difference(DifferenceKind.TYPE, "no-numbers", {"got": result}))
    for _, part in walk(result):
        if not isinstance(part, (list, tuple, dict)) and not _is_numeric(part):
            facts = {"part": part}
            raise DiffersError(Difference(DifferenceKind.TYPE, "other-than-numbers", facts))
    return result


def _arrays(result: object) -> list[_Array]:
    """Return every array in a result, with numbers as arrays without axes."""
    return [np.asarray(part) for _, part in walk(result) if _is_numeric(part)]


def _is_numeric(part: object) -> bool:
    """Return whether a part is a number or an array of numbers, without masked entries.

    Masked entries would satisfy any property.
    """
    is_number = isinstance(part, NUMERIC) and not is_masked(part)
    return is_number and np.asarray(part).dtype.kind in "biufc"


def _change_arrays(result: Any, change: Callable[[_Array], _Array]) -> Any:
    """Return a result with every array changed; a number is an array without axes."""
    return map_parts(
        lambda part: change(np.asarray(part)) if isinstance(part, NUMERIC) else part,
        result,
    )


def _require_array(draw: _PropertyDraw) -> _Array:
    if not isinstance(draw.first, np.ndarray) or draw.first.ndim == 0:
        raise DiffersError(Difference(DifferenceKind.TYPE, "no-one-array", {"got": draw.first}))
    return draw.first


def _breach(
    draw: _PropertyDraw, difference: Difference | None, **facts: object
) -> Difference | None:
    """Return the breach of a property that follows from a difference between two results."""
    if difference is None:
        return None
    return Difference(DifferenceKind.PROPERTY, draw.test.holds, facts, cause=difference)


def _rows_sum_to_one(draw: _PropertyDraw) -> Difference | None:
    result = _require_array(draw)
    axis = draw.axis_of_result(result, usual=-1)
    sums = np.asarray(result.sum(axis=axis), dtype=np.result_type(result.dtype, np.float16))
    if draw.differs(np.ones_like(sums), sums):
        off = np.where(np.isfinite(sums), np.abs(sums - 1), np.inf)
        place = first_index(off == off.max())
        facts = {"axis": axis, "place": place, "total": sums[place]}
        return Difference(DifferenceKind.PROPERTY, "sum", facts)
    if (result < 0).any():
        first = first_index(result < 0)
        return Difference(
            DifferenceKind.PROPERTY, "negative", {"number": result[first], "place": first}
        )
    return None


def _shift_invariant(draw: _PropertyDraw) -> Difference | None:
    varied = draw.varied_inputs
    shifted = {}
    for name, array in varied.items():
        shape = list(array.shape)
        shape[draw.axis(array, usual=-1)] = 1
        shifted[name] = (array + draw.rng.uniform(1.0, 4.0, shape)).astype(array.dtype)
    difference = draw.differs(draw.first, draw.with_inputs(shifted))
    return _breach(draw, difference, moved=tuple(varied))


def _causal(draw: _PropertyDraw) -> Difference | None:
    varied = draw.varied_inputs
    lengths = [array.shape[draw.axis(array)] for array in varied.values()]
    if min(lengths) < 2:  # noqa: PLR2004  one token has no future
        if draw.test.seeds > 1:  # `sizes` draws a length of 1 now and then
            return None
        raise draw.definition_error("there must be at least two tokens")

    def truncate(result: object, last: int) -> object:
        def rows(array: _Array) -> _Array:
            if array.ndim == 0 or array.shape[draw.axis_of_result(array)] != lengths[0]:
                facts = {"length": lengths[0], "things": "positions"}
                raise DiffersError(Difference(DifferenceKind.SHAPE, "rows", facts))
            return array.take(np.arange(last + 1), axis=draw.axis_of_result(array))

        return _change_arrays(result, rows)

    for last in sorted({0, (min(lengths) - 1) // 2, min(lengths) - 2}):
        changed = {name: _other_future(draw, array, last) for name, array in varied.items()}
        past, new_past = truncate(draw.first, last), truncate(draw.with_inputs(changed), last)
        if breach := _breach(draw, draw.differs(past, new_past), last=last):
            return breach
    return None


def _other_future(draw: _PropertyDraw, array: _Array, last: int) -> _Array:
    """Return an array changed after a position; whole numbers stay in the range of the array."""
    axis = draw.axis(array)
    after = np.arange(array.shape[axis]) > last
    shape = [1] * array.ndim
    shape[axis] = -1
    if array.dtype.kind == "f":
        changed = array + draw.rng.uniform(1.0, 3.0, array.shape).astype(array.dtype)
    elif array.dtype.kind in "iu":
        low, span = array.min(), int(array.max() - array.min()) + 1
        if span == 1:
            raise draw.definition_error("all tokens are the same")
        changed = low + (array - low + draw.rng.integers(1, span, array.shape)) % span
    else:
        raise draw.definition_error(f"an array of dtype {array.dtype} cannot be changed")
    return np.where(after.reshape(shape), changed, array).astype(array.dtype)


def _permutation(draw: _PropertyDraw) -> tuple[_Array, dict[str, _Array]]:
    """Return a random order, and the inputs in that order."""
    varied = draw.varied_inputs
    lengths = {array.shape[draw.axis(array)] for array in varied.values()}
    if len(lengths) > 1:
        raise draw.definition_error(
            f"{' and '.join(f'`{name}`' for name in varied)} are of different lengths"
        )
    (length,) = lengths
    if length < 2 and draw.test.seeds == 1:  # noqa: PLR2004  one item has one order
        raise draw.definition_error("there must be at least two items to reorder")
    cycle = draw.rng.permutation(length)
    order = np.empty_like(cycle)
    order[cycle] = np.roll(cycle, 1)  # a single cycle through all items, so that every item moves
    return order, {name: a.take(order, axis=draw.axis(a)) for name, a in varied.items()}


def _permutation_equivariant(draw: _PropertyDraw) -> Difference | None:
    order, changed = _permutation(draw)

    def reorder(array: _Array) -> _Array:
        if array.ndim == 0 or array.shape[draw.axis_of_result(array)] != len(order):
            facts = {"length": len(order), "things": "items"}
            raise DiffersError(Difference(DifferenceKind.SHAPE, "rows", facts))
        return array.take(order, axis=draw.axis_of_result(array))

    difference = draw.differs(_change_arrays(draw.first, reorder), draw.with_inputs(changed))
    return _breach(draw, difference, moved=tuple(changed))


def _permutation_invariant(draw: _PropertyDraw) -> Difference | None:
    _, changed = _permutation(draw)
    difference = draw.differs(draw.first, draw.with_inputs(changed))
    return _breach(draw, difference, moved=tuple(changed))


def _finite_at_large_values(draw: _PropertyDraw) -> Difference | None:
    varied = draw.varied_inputs
    for factor in (_LARGE, -_LARGE):
        scaled = {name: (array * factor).astype(array.dtype) for name, array in varied.items()}
        result = _require_numbers(draw.call(scaled))
        count = sum(int((~np.isfinite(array)).sum()) for array in _arrays(result))
        if count:
            total = sum(array.size for array in _arrays(result))
            facts = {"moved": tuple(varied), "factor": factor, "count": count, "total": total}
            return Difference(DifferenceKind.PROPERTY, "overflow", facts)
    return None


def _gradient(draw: _PropertyDraw) -> Difference | None:
    name, array = next(iter(draw.varied_inputs.items()))
    result = _require_array(draw)
    if result.shape != array.shape:
        facts = {"moved": (name,), "expected": array.shape, "got": result.shape}
        raise DiffersError(Difference(DifferenceKind.SHAPE, "gradient-shape", facts))
    if result.dtype.kind != "f":
        raise DiffersError(
            Difference(DifferenceKind.DTYPE, "gradient-dtype", {"dtype": result.dtype})
        )
    limit = draw.test.tolerance or _CLOSE_TO_STEP
    chosen = draw.rng.permutation(array.size)[:_MAX_ENTRIES]
    for number in sorted(chosen):
        place = tuple(int(i) for i in np.unravel_index(number, array.shape))
        unit = np.zeros(array.shape)
        unit[place] = 1.0
        slope = _slope(draw, name, array, unit)
        if difference := compare(np.float64(slope), np.float64(result[place]), limit):
            return _breach(draw, difference, moved=(name,), place=place)
    direction = draw.rng.uniform(-1.0, 1.0, array.shape)
    slope = _slope(draw, name, array, direction)
    along = np.float64((result * direction).sum())
    difference = compare(np.float64(slope), along, limit)
    return _breach(draw, difference, moved=(name,), place=None)


def _slope(draw: _PropertyDraw, name: str, array: _Array, direction: _Array) -> float:
    """Return the central difference of the scalar along a direction."""
    ends = []
    for sign in (1.0, -1.0):
        neighbour = array.astype(np.float64) + sign * _STEP * direction
        value = draw.against({name: neighbour})
        numbers = _arrays(value)
        if len(numbers) != 1 or numbers[0].size != 1 or numbers[0].dtype.kind not in "iuf":
            facts = {"code": draw.test.against, "got": value}
            raise DiffersError(Difference(DifferenceKind.TYPE, "scalar", facts))
        number = float(numbers[0].reshape(()))
        if not np.isfinite(number):  # NaN would equal any other NaN
            facts = {"code": draw.test.against, "number": number}
            raise DiffersError(Difference(DifferenceKind.NOT_FINITE, "finite-scalar", facts))
        ends.append(number)
    return (ends[0] - ends[1]) / (2 * _STEP)


_CHECKS: Final[dict[str, Callable[[_PropertyDraw], Difference | None]]] = {
    "rows_sum_to_one": _rows_sum_to_one,
    "shift_invariant": _shift_invariant,
    "causal": _causal,
    "permutation_equivariant": _permutation_equivariant,
    "permutation_invariant": _permutation_invariant,
    "unchanged_inputs": lambda _: None,  # the first call already compared its arguments
    "finite_at_large_values": _finite_at_large_values,
    "gradient": _gradient,
    "idempotent": lambda draw: _breach(
        draw,
        draw.differs(
            draw.first, draw.with_inputs({next(iter(draw.varied_inputs)): _require_array(draw)})
        ),
    ),
    "deterministic": lambda draw: _breach(draw, compare(draw.first, draw.with_inputs({}), EXACT)),
    "two_ways_agree": lambda draw: _breach(
        draw,
        draw.differs(_require_finite(draw.against({})), draw.first),
        against=draw.test.against,
    ),
}
