"""The comparison of a submission's value with the expected one.

It finds the first kind of difference, in the order of `DifferenceKind` up to VALUES, and its facts.
Of a list, a tuple or a dict, the first item that differs decides. `feedback.difference_sentences`
turns the facts into sentences.

NaN and infinities are compared by position; no tolerance applies to them. NaN must stand exactly
where the expected value has NaN, and an infinity where the same infinity is expected. For tests
with `nan: ignored`, `ignore_nan` accepts any value where NaN is expected. A row that is fully
masked, for which softmax is undefined, needs no special rule: the reference decides between zeros
(as ours does) and NaN, and the submission must agree unless the test ignores NaN.
"""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import Accepted, Tolerance
from grader.grading.comparison.nested_values import ValuePath, iter_pairs, map_parts
from grader.grading.results.raw_result import DifferenceKind

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two values, with the facts for a sentence about it."""

    kind: DifferenceKind
    sentence_key: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[object, ...] = ()  # indices and keys that lead to the part that differs
    worst: tuple[int, ...] | None = None  # index of the largest difference in an array
    cause: "Difference | None" = None  # for a breach of a property: the difference that shows it


# Generous bounds on the rounding differences between two correct orders of the same operations.
_SMALL_DTYPES = {
    "e": Tolerance(1e-3, 1e-2),  # float16
    "f": Tolerance(1e-6, 1e-4),
    "F": Tolerance(1e-6, 1e-4),  # complex64
}
_DOUBLE_TOLERANCE = Tolerance(1e-9, 1e-7)
EXACT = Tolerance(0.0, 0.0)
_TOO_LONG_INTEGER = 10**18  # from here on, integers have too many digits for a sentence

_KIND = {
    "b": "boolean", "i": "integer", "u": "integer", "f": "float", "c": "complex", "U": "text",
    "S": "bytes", "M": "datetime", "m": "timedelta", "V": "fields",
}  # fmt: skip
NUMBERS = (bool, int, float, complex, np.generic)
NUMERIC = (np.ndarray, *NUMBERS)
_TEXT = (str, bytes)  # base classes of NumPy's text scalars as well
_FAMILIES = (str, (bytes, bytearray), (set, frozenset))  # types whose values may be equal
_NUMBER_KINDS = "biufc"
_DTYPES = {np.dtype(kind).name for kind in np.typecodes["All"] if kind not in "OSUVMm"}


def is_masked(array: object) -> bool:
    """Return whether a value is a masked array."""
    return hasattr(array, "mask")


def usual_tolerance(dtype: np.dtype[Any]) -> Tolerance:
    """Return the default tolerance for numbers of a dtype."""
    return _SMALL_DTYPES.get(dtype.char, _DOUBLE_TOLERANCE)  # `dtype.name` would be slower


def compare(  # noqa: PLR0911  one return for each kind of difference
    expected: object, got: object, tolerance: Tolerance | None = None, path: ValuePath = ()
) -> Difference | None:
    """Compare a submission's value with the expected one.

    Args:
        expected: The reference's value: None, a number, text, an array, or a container of these.
        tolerance: The tolerance of numbers; if None, the default of the expected dtype.

    Returns:
        The first difference, or None if the values agree.
    """
    if got is None and expected is not None:
        return Difference(DifferenceKind.NOTHING, "none", {"expected": expected}, path)
    if isinstance(expected, np.ndarray) and expected.shape:
        return _compare_arrays(expected, got, tolerance, path)
    if isinstance(expected, np.ndarray):  # an array without axes counts as a number
        expected = expected[()]
    if isinstance(expected, NUMBERS) and not isinstance(expected, _TEXT):
        return _compare_numbers(expected, got, tolerance, path)
    if isinstance(expected, (tuple, list, deque)):
        return _compare_sequences(expected, got, tolerance, path)
    if isinstance(expected, dict):
        return _compare_mappings(expected, got, tolerance, path)
    family = next((kinds for kinds in _FAMILIES if isinstance(expected, kinds)), type(expected))
    if not isinstance(got, family):
        return _wrong_type(expected, got, path)
    if got == expected:
        return None
    texts = {"expected": expected, "got": got}
    if isinstance(expected, str) and {expected, got} <= _DTYPES:  # as for `f(x).dtype.name`
        return Difference(DifferenceKind.DTYPE, "dtype", texts, path[:-1])
    return Difference(DifferenceKind.VALUES, "other-value", texts, path)


def shape_tree(value: Any) -> Any:
    """Return the shapes of the arrays and numbers in a value, each as an array of lengths."""

    def shape(part: Any) -> Array | None:
        is_number = isinstance(part, NUMERIC)
        return np.array(np.shape(part), dtype=np.int64) if is_number else None

    return map_parts(shape, value)


def compare_shapes(shapes: Any, got: object) -> Difference | None:
    """Compare the shapes in a value with the result of `shape_tree` for the expected value.

    Returns:
        The first different shape among corresponding parts, or None.
    """
    for path, lengths, value in iter_pairs(shapes, got):
        if not isinstance(lengths, np.ndarray) or not isinstance(value, NUMERIC):
            continue
        expected, shape = tuple(lengths.tolist()), np.shape(value)
        if expected == shape:
            continue
        if not expected:
            return Difference(DifferenceKind.SHAPE, "no-single-number", {"got": value}, path)
        if not shape:
            facts = {"shape": expected, "got": value}
            return Difference(DifferenceKind.SHAPE, "no-array-of-shape", facts, path)
        return Difference(DifferenceKind.SHAPE, "shape", {"expected": expected, "got": shape}, path)
    return None


def compare_dtypes(expected: object, got: object) -> Difference | None:
    """Compare dtypes exactly in the corresponding numbers and arrays of two values."""
    for path, expected_part, part in iter_pairs(expected, got):
        if isinstance(expected_part, NUMERIC) and isinstance(part, NUMERIC):
            dtypes = {"expected": np.asarray(expected_part).dtype, "got": np.asarray(part).dtype}
            if np.shape(expected_part) == np.shape(part) and dtypes["expected"] != dtypes["got"]:
                return Difference(DifferenceKind.DTYPE, "dtype", dtypes, path)
    return None


def with_float_literals(expected: Any, got: object) -> Any:
    """Return a literal with integers converted to floats where the result has floats."""
    if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        needs_floats = expected.dtype.kind == "i" and got.dtype.kind in "ufc"
        return expected.astype(np.float64) if needs_floats else expected
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        if len(expected) == len(got):
            pairs = zip(expected, got, strict=True)
            return type(expected)([with_float_literals(one, other) for one, other in pairs])
        return expected
    if type(expected) is int and isinstance(got, (float, np.floating)):
        return float(expected)
    return expected


def with_accepted_types(
    expected: Any,
    got: Any,
    accept: Collection[Accepted],
) -> tuple[Any, Any]:
    """Return both values in a common form where their types differ in a way that a test accepts.

    Args:
        accept: The names of types and dtypes that the test accepts besides the expected ones.
    """
    is_list = isinstance(got, (list, tuple))
    if isinstance(expected, np.ndarray) and is_list and type(got).__name__ in accept:
        array = _as_array(expected, got)
        return expected, array if isinstance(array, np.ndarray) else got
    if isinstance(expected, (list, tuple)) and isinstance(got, np.ndarray) and "array" in accept:
        got, is_list = list(got) if got.ndim else got, got.ndim > 0
    if isinstance(expected, (list, tuple)) and is_list and len(expected) == len(got):
        pairs = [with_accepted_types(*pair, accept) for pair in zip(expected, got, strict=True)]
        return [one for one, _ in pairs], [other for _, other in pairs]
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        by_key = {key: with_accepted_types(expected[key], got[key], accept) for key in expected}
        return {k: one for k, (one, _) in by_key.items()}, {k: v for k, (_, v) in by_key.items()}
    if isinstance(expected, NUMERIC) and isinstance(got, NUMERIC):
        return _as_dtype(np.asarray(expected), np.asarray(got), accept) or (expected, got)
    return expected, got


def _as_dtype(
    expected: Array, got: Array, accept: Collection[Accepted]
) -> tuple[Array, Array] | None:
    """Return both arrays in one dtype if a test accepts the dtype of the second, or None."""
    if not {expected.dtype.kind, got.dtype.kind} <= set(_NUMBER_KINDS):
        return None
    if got.dtype.name in accept and got.dtype.kind in "fc":
        narrow = np.promote_types(got.dtype, np.float16)
        if expected.dtype.kind in "iubf" or got.dtype.kind == "c":
            return expected.astype(narrow), got
    kind = _KIND[got.dtype.kind]
    if kind in ("integer", "boolean") and {"boolean": "bool"}.get(kind, kind) in accept:
        wide = np.promote_types(expected.dtype, got.dtype)
        return expected.astype(wide), got.astype(wide)
    return None


def ignore_nan(expected: Any, got: Any) -> Any:  # noqa: PLR0911  any value; each form returns
    """Return a result with NaN wherever the expected value has NaN."""
    if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        if expected.shape != got.shape or {expected.dtype.kind, got.dtype.kind} - {"f", "c"}:
            return got
        return np.where(np.isnan(expected), np.array(np.nan, got.dtype), got)
    if isinstance(expected, (float, np.inexact)) and isinstance(got, NUMBERS):
        return expected if np.isnan(expected) else got
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        if len(expected) == len(got):
            pairs = zip(expected, got, strict=True)
            return type(got)([ignore_nan(one, other) for one, other in pairs])
        return got
    if isinstance(expected, dict) and isinstance(got, dict):
        return {k: ignore_nan(expected[k], v) if k in expected else v for k, v in got.items()}
    return got


def in_expected_form(expected: object, got: Any) -> Any:
    """Return a handwritten answer in the form of the expected value.

    Nested lists of numbers become an array, tuples and lists are interchangeable, and so are 2 and
    2.0. Parts that cannot be converted are returned unchanged.
    """
    if isinstance(expected, np.ndarray):
        return _as_array(expected, got)
    if isinstance(expected, (list, tuple)):
        items = got.tolist() if isinstance(got, np.ndarray) else got
        if not isinstance(items, (list, tuple)) or len(items) != len(expected):
            return got
        pairs = zip(expected, items, strict=True)
        return type(expected)([in_expected_form(one, other) for one, other in pairs])
    if isinstance(expected, dict) and isinstance(got, dict):
        return {k: in_expected_form(expected[k], v) if k in expected else v for k, v in got.items()}
    if isinstance(expected, NUMBERS) and isinstance(got, (np.ndarray, int, float, complex)):
        array = _as_array(np.asarray(expected), got)
        return array[()] if isinstance(array, np.ndarray) and array.shape == () else got
    return got.strip() if isinstance(expected, str) and isinstance(got, str) else got


def _as_array(expected: Array, got: Any) -> Any:
    try:
        array = np.asarray(got)
    except ValueError:  # if rows have unequal lengths
        return got
    kinds = expected.dtype.kind, array.dtype.kind
    if "b" in kinds or not set(kinds) <= set("iufc") or array.shape != expected.shape:
        return array if set(kinds) <= set("biufc") else got
    converted = array.astype(expected.dtype) if kinds[1] != "c" or kinds[0] == "c" else array
    return converted if (converted == array).all() or kinds[0] in "fc" else array


def _wrong_type(expected: object, got: object, path: ValuePath) -> Difference:
    return Difference(DifferenceKind.TYPE, "type", {"expected": expected, "got": got}, path)


def _compare_sequences(
    expected: Collection[object], got: object, tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    family = deque if isinstance(expected, deque) else (tuple, list)
    if not isinstance(got, family):
        return _wrong_type(expected, got, path)
    if len(got) != len(expected):
        lengths = {"expected": len(expected), "got": len(got)}
        return Difference(DifferenceKind.LENGTH, "length", lengths, path)
    for index, (expected_item, item) in enumerate(zip(expected, got, strict=True)):
        if difference := compare(expected_item, item, tolerance, (*path, index)):
            return difference
    return None


def _compare_mappings(
    expected: dict[Any, Any], got: object, tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    if not isinstance(got, dict):
        return _wrong_type(expected, got, path)
    if missing := [key for key in expected if key not in got]:
        return Difference(DifferenceKind.LENGTH, "key-missing", {"key": missing[0]}, path)
    if extra := [key for key in got if key not in expected]:
        return Difference(DifferenceKind.LENGTH, "key-not-asked-for", {"key": extra[0]}, path)
    for key, expected_item in expected.items():
        if difference := compare(expected_item, got[key], tolerance, (*path, key)):
            return difference
    return None


def _compare_numbers(
    expected: object, got: object, tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    if isinstance(got, np.ndarray) and got.shape == ():
        got = got[()]
    if not isinstance(got, NUMBERS):
        return _wrong_type(expected, got, path)
    if type(expected) is type(got) is int:  # Python integers are compared exactly at any size
        if expected == got:
            return None
        if max(abs(expected), abs(got)) >= _TOO_LONG_INTEGER:
            return Difference(DifferenceKind.VALUES, "whole-number", path=path)
        return Difference(DifferenceKind.VALUES, "number", {"expected": expected, "got": got}, path)
    return _compare_arrays(np.asarray(expected), np.asarray(got), tolerance, path)


def _compare_arrays(
    expected: Array, got: object, tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    if not isinstance(got, np.ndarray):
        return Difference(DifferenceKind.TYPE, "no-array", {"expected": expected, "got": got}, path)
    if is_masked(expected) or is_masked(got):
        return _compare_masked(expected, got, tolerance, path)
    if "O" in (expected.dtype.kind, got.dtype.kind):  # if an integer is too large for a dtype
        return _wrong_type(expected, got, path)
    is_alike = got.dtype == expected.dtype and got.shape == expected.shape
    if is_alike and got.dtype.kind in _NUMBER_KINDS and got.tobytes() == expected.tobytes():
        return None  # bitwise equal, which includes NaN
    if got.shape != expected.shape:
        shapes = {"expected": expected.shape, "got": got.shape}
        return Difference(DifferenceKind.SHAPE, "shape", shapes, path)
    difference = _compare_dtypes(expected, got, path)
    if difference is None and expected.dtype.names is not None:
        names = expected.dtype.names
        fields = (compare(expected[n], got[n], tolerance, (*path, n)) for n in names)
        difference = next(filter(None, fields), None)
    elif difference is None:
        compare_values = (
            _compare_values if expected.dtype.kind in _NUMBER_KINDS else _compare_exactly
        )
        difference = compare_values(expected, got, tolerance, path)
    return difference


def _compare_masked(
    expected: Array, got: Array, tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    """Compare masked arrays: first their masks, then the values that are not masked."""
    mask, got_mask = np.ma.getmaskarray(expected), np.ma.getmaskarray(got)
    if mask.shape == got_mask.shape and (mask != got_mask).any():
        facts = {"count": int((mask != got_mask).sum()), "total": mask.size}
        return Difference(DifferenceKind.VALUES, "mask", facts, path)
    values, got_values = np.array(expected), np.array(got)
    if mask.shape == got_mask.shape:
        values[mask], got_values[mask] = np.zeros((), values.dtype), np.zeros((), got_values.dtype)
    return compare(values, got_values, tolerance, path)


def _compare_exactly(
    expected: Array, got: Array, _tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    """Compare texts, dates and durations; NaT equals NaT."""
    with np.errstate(all="ignore"):
        wrong = (expected != got) & ~((expected != expected) & (got != got))  # noqa: PLR0124  NaT != NaT
    if not wrong.any():
        return None
    worst = first_index(wrong)
    facts = {"expected": expected[worst], "got": got[worst]}
    if expected.ndim == 0:
        return Difference(DifferenceKind.VALUES, "number", facts, path)
    facts |= {"count": int(wrong.sum()), "total": expected.size, "place": worst}
    return Difference(DifferenceKind.VALUES, "values", facts, path, worst)


def _compare_dtypes(expected: Array, got: Array, path: ValuePath) -> Difference | None:
    expected_kind, kind = _KIND.get(expected.dtype.kind), _KIND.get(got.dtype.kind)
    if expected.ndim == 0 and (expected_kind, kind) == ("float", "integer"):
        # Returning 0 for 0.0 is fine. An array of integers is a mistake: it cannot hold fractions.
        return None
    dtypes = {"expected": expected.dtype, "got": got.dtype}
    if expected.dtype.names is not None and expected.dtype.names != got.dtype.names:
        return Difference(DifferenceKind.DTYPE, "dtype", dtypes, path)
    if expected_kind != kind:
        is_cut = (expected_kind, kind) == ("float", "integer")
        return Difference(
            DifferenceKind.DTYPE, "dtype-without-fractions" if is_cut else "dtype", dtypes, path
        )
    if expected_kind in ("float", "complex") and got.dtype.itemsize < expected.dtype.itemsize:
        return Difference(DifferenceKind.DTYPE, "dtype-of-fewer-digits", dtypes, path)
    return None


def _compare_values(
    expected: Array, got: Array, tolerance: Tolerance | None, path: ValuePath
) -> Difference | None:
    limit = tolerance or usual_tolerance(expected.dtype)
    if tolerance is None and expected.dtype.kind in "biu":
        limit = EXACT
    mask = ~np.isfinite(got) & np.isfinite(expected)
    if mask.any():
        return _not_finite(got, mask, path)
    kinds = {expected.dtype.kind, got.dtype.kind}
    # Compared in their own dtypes, since float64 does not represent all large integers.
    same = (expected == got) | ((expected != expected) & (got != got))  # noqa: PLR0124  NaN != NaN
    least = 1.0 if kinds <= set("biu") else float(np.finfo(np.float64).tiny)
    wide = np.complex128 if "c" in kinds else np.float64
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(wide) - expected.astype(wide))
        allowed = limit.atol + limit.rtol * np.abs(np.where(np.isfinite(expected), expected, 0))
    distance = np.where(np.isnan(distance), np.inf, distance)
    error = np.where(same, 0.0, np.maximum(distance, least))
    wrong = ~(error <= allowed)
    if not wrong.any():
        return None
    error = np.where(wrong, error, -1.0)
    worst = first_index(error == error.max())
    facts = {"expected": expected[worst], "got": got[worst]}
    if expected.ndim == 0:
        return Difference(DifferenceKind.VALUES, "number", facts, path)
    facts |= {"count": int(wrong.sum()), "total": expected.size, "place": worst}
    return Difference(DifferenceKind.VALUES, "values", facts, path, worst)


def _not_finite(got: Array, mask: npt.NDArray[np.bool_], path: ValuePath) -> Difference:
    place = first_index(mask)
    facts = {
        "count": int(mask.sum()),
        "total": got.size,
        "nans": int(np.isnan(got[mask]).sum()),
        "first": got[place],
        "place": place,
    }
    if got.ndim == 0:
        return Difference(DifferenceKind.NOT_FINITE, "number-not-finite", {"number": got[()]}, path)
    return Difference(DifferenceKind.NOT_FINITE, "not-finite", facts, path, place)


def first_index(where: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the first index at which an array is True, or zeros if it is nowhere."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(where)), where.shape))
