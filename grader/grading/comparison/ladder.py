"""The comparison ladder: what is wrong with a value, said by the first rung that it fails.

Nothing returned, wrong type, wrong length, shape, dtype, NaN or infinity, values. Pure, NumPy and
the standard library only, so that the same words can be found everywhere. Values are summarised.

What is not finite is compared by place, whatever the tolerance. NaN belongs where the expected
value has NaN and nowhere else; `ignore_nan` lifts that for tests that say `nan: ignored`: where the
expected value is NaN, anything may stand. An infinity belongs where the same infinity is expected.
A row that is masked in full, which softmax cannot divide among any keys, has no policy of its own:
the reference decides what it holds (zeros, as ours does, or NaN), and the submission must agree
unless the test ignores NaN.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import Tolerance

Array: TypeAlias = npt.NDArray[Any]


class Rung(StrEnum):
    """What kind of thing is wrong, from the coarsest to the finest."""

    NOTHING = "nothing returned"
    SILENCE = "nothing printed"
    TYPE = "type"
    LENGTH = "length"
    SHAPE = "shape"
    DTYPE = "dtype"
    NOT_FINITE = "not finite"
    VALUES = "values"
    TEXT = "text"
    INPUTS = "inputs"
    PROPERTY = "property"
    ASSERTION = "assertion"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first rung on which two values differ, and one sentence that says how and where."""

    rung: Rung
    sentence: str
    worst: tuple[int, ...] | None = None  # of an array's values, the index of the worst


# What two correct orders of the same operations may differ by, with room to spare.
_USUAL = {
    "float16": Tolerance(1e-3, 1e-2),
    "float32": Tolerance(1e-6, 1e-4),
    "complex64": Tolerance(1e-6, 1e-4),
}
_DOUBLE = Tolerance(1e-9, 1e-7)
_EXACT = Tolerance(0.0, 0.0)
_READABLE = 10**18

_WHOLE = "The result"

_KIND = {"b": "boolean", "i": "integer", "u": "integer", "f": "float", "c": "complex"}
_NUMBER = (bool, int, float, complex, np.generic)


def usual_tolerance(dtype: np.dtype[Any]) -> Tolerance:
    """Return how close numbers of a dtype must be where an author says nothing."""
    return _USUAL.get(dtype.name, _DOUBLE)


def compare(  # noqa: PLR0911  a ladder: each rung returns
    expected: object, got: object, tolerance: Tolerance | None = None, name: str = _WHOLE
) -> Difference | None:
    """Compare a submission's value with the expected one.

    Args:
        expected: what the reference gives: None, numbers, text, arrays, and containers of them.
        got: plain data of exact types, as it came over the wire.
        tolerance: how close numbers must be; by the expected dtype if None.
        name: how sentences call the value.

    Returns:
        None if they agree, else the first difference.
    """
    if got is None and expected is not None:
        return Difference(Rung.NOTHING, _nothing(expected, name))
    if isinstance(expected, np.ndarray) and expected.shape:
        return _arrays(expected, got, tolerance, name)
    if isinstance(expected, np.ndarray):  # of one number and no axis: a number, however it is kept
        expected = expected[()]
    if isinstance(expected, _NUMBER):
        return _numbers(expected, got, tolerance, name)
    if isinstance(expected, (tuple, list)):
        return _sequences(expected, got, tolerance, name)
    if isinstance(expected, dict):
        return _mappings(expected, got, tolerance, name)
    if type(got) is not type(expected):
        return _wrong_type(describe(expected), got, name)
    if got != expected:
        sentence = f"{name} should be {expected!r:.80}, but is {got!r:.80}."
        return Difference(Rung.VALUES, sentence)
    return None


def shapes_of(value: Any) -> Any:  # noqa: ANN401  any value
    """Return the shapes of the arrays and numbers in a value, each as an array of lengths."""
    if isinstance(value, (np.ndarray, *_NUMBER)):
        return np.array(np.shape(value), dtype=np.int64)
    if isinstance(value, (list, tuple)):
        return [shapes_of(item) for item in value]
    if isinstance(value, dict):
        return {key: shapes_of(item) for key, item in value.items()}
    return None


def compare_shapes(shapes: Any, got: object, name: str = _WHOLE) -> Difference | None:  # noqa: ANN401  of any value
    """Compare the shapes of arrays and numbers with those that `shapes_of` gave.

    Returns:
        None if they agree, as far as the two values are of the same form.
    """
    if isinstance(shapes, np.ndarray) and isinstance(got, (np.ndarray, *_NUMBER)):
        wanted, came = tuple(shapes.tolist()), np.shape(got)
        if wanted == came:
            return None
        if not wanted:
            sentence = f"{name} should be a single number, but is {describe(got)}."
        elif not came:
            sentence = f"{name} should be an array of shape {wanted}, but is {describe(got)}."
        else:
            sentence = f"{name} should have shape {wanted}, but has shape {came}."
        return Difference(Rung.SHAPE, sentence)
    pairs: list[tuple[object, object, object]] = []
    if isinstance(shapes, list) and isinstance(got, (list, tuple)) and len(shapes) == len(got):
        pairs = [(n, *pair) for n, pair in enumerate(zip(shapes, got, strict=True))]
    elif isinstance(shapes, dict) and isinstance(got, dict):
        pairs = [(key, shapes[key], got[key]) for key in shapes if key in got]
    found = (compare_shapes(wanted, item, _item(key, name)) for key, wanted, item in pairs)
    return next(filter(None, found), None)


def as_written(expected: Any, got: object) -> Any:  # noqa: ANN401  any value
    """Give whole numbers of a literal the kind of what came: `[2, 4]` in YAML has no dtype."""
    if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        whole = expected.dtype.kind == "i" and got.dtype.kind in "ufc"
        return expected.astype(np.float64) if whole else expected
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        if len(expected) == len(got):
            pairs = zip(expected, got, strict=True)
            return type(expected)([as_written(one, other) for one, other in pairs])
        return expected
    if type(expected) is int and isinstance(got, (float, np.floating)):
        return float(expected)
    return expected


def ignore_nan(expected: Any, got: Any) -> Any:  # noqa: ANN401, PLR0911  any value; each form returns
    """Put NaN into a result wherever the expected value has it: anything may stand there."""
    if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        if expected.shape != got.shape or {expected.dtype.kind, got.dtype.kind} - {"f", "c"}:
            return got
        return np.where(np.isnan(expected), np.array(np.nan, got.dtype), got)
    if isinstance(expected, (float, np.inexact)) and isinstance(got, _NUMBER):
        return expected if np.isnan(expected) else got
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        if len(expected) == len(got):
            pairs = zip(expected, got, strict=True)
            return type(got)([ignore_nan(one, other) for one, other in pairs])
        return got
    if isinstance(expected, dict) and isinstance(got, dict):
        return {k: ignore_nan(expected[k], v) if k in expected else v for k, v in got.items()}
    return got


def as_answer(expected: object, got: Any) -> Any:  # noqa: ANN401  any value
    """Read an answer that was written by hand in the form of the expected one.

    A list of lists of numbers is the array of them, a tuple is a list, 2 is 2.0 and 2.0 is 2. What
    does not fit stays as it is.
    """
    if isinstance(expected, np.ndarray):
        return _as_array(expected, got)
    if isinstance(expected, (list, tuple)):
        items = got.tolist() if isinstance(got, np.ndarray) else got
        if not isinstance(items, (list, tuple)) or len(items) != len(expected):
            return got
        pairs = zip(expected, items, strict=True)
        return type(expected)([as_answer(one, other) for one, other in pairs])
    if isinstance(expected, dict) and isinstance(got, dict):
        return {k: as_answer(expected[k], v) if k in expected else v for k, v in got.items()}
    if isinstance(expected, _NUMBER) and isinstance(got, (np.ndarray, int, float, complex)):
        array = _as_array(np.asarray(expected), got)
        return array[()] if isinstance(array, np.ndarray) and array.shape == () else got
    return got.strip() if isinstance(expected, str) and isinstance(got, str) else got


def _as_array(expected: Array, got: Any) -> Any:  # noqa: ANN401  any value
    try:
        array = np.asarray(got)
    except ValueError:  # rows of unequal length
        return got
    kinds = expected.dtype.kind, array.dtype.kind
    if "b" in kinds or not set(kinds) <= set("iufc") or array.shape != expected.shape:
        return array if set(kinds) <= set("biufc") else got
    converted = array.astype(expected.dtype) if kinds[1] != "c" or kinds[0] == "c" else array
    return converted if (converted == array).all() or kinds[0] in "fc" else array


def describe(value: object) -> str:
    """Name a value's type as a learner would."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of shape {_shape(value)}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} {'item' if len(value) == 1 else 'items'}"
    if (handle := getattr(value, "handle_", None)) is not None:  # an object of the submission's
        return f"an object of your class {handle.kind}"
    kind = type(value).__name__
    if isinstance(value, np.number):
        return f"a single number of dtype {kind}"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _nothing(expected: object, name: str) -> str:
    if name == _WHOLE:
        return f"{name} is None. Does every path through your function end in `return`?"
    return f"{name} is None, where {describe(expected)} is expected."


def _wrong_type(expected: str, got: object, name: str) -> Difference:
    return Difference(Rung.TYPE, f"{name} should be {expected}, but is {describe(got)}.")


def _no_array(expected: Array, got: object, name: str) -> Difference:
    found = _wrong_type(describe(expected), got, name)
    if not isinstance(got, (list, tuple)):
        return found
    advice = "Turn it into an array with `np.array(...)`."
    if isinstance(got, tuple) and len(got) == 1:
        advice = "Is there a comma at the end of your `return`?"
    return replace(found, sentence=f"{found.sentence} {advice}")


def _sequences(
    expected: Sequence[object], got: object, tolerance: Tolerance | None, name: str
) -> Difference | None:
    if not isinstance(got, (tuple, list)):
        return _wrong_type(describe(expected), got, name)
    if len(got) != len(expected):
        sentence = f"{name} should have {len(expected)} items, but has {len(got)}."
        return Difference(Rung.LENGTH, sentence)
    for index, (wanted, item) in enumerate(zip(expected, got, strict=True)):
        if found := compare(wanted, item, tolerance, _item(index, name)):
            return found
    return None


def _item(key: object, name: str) -> str:
    """Name an item or the value of a key."""
    return f"Item {key!r:.40} of {name[0].lower()}{name[1:]}"


def _mappings(
    expected: dict[Any, Any], got: object, tolerance: Tolerance | None, name: str
) -> Difference | None:
    if not isinstance(got, dict):
        return _wrong_type("a dict", got, name)
    if missing := [key for key in expected if key not in got]:
        return Difference(Rung.LENGTH, f"{name} has no key {missing[0]!r:.40}.")
    if extra := [key for key in got if key not in expected]:
        sentence = f"{name} has the key {extra[0]!r:.40}, which is not asked for."
        return Difference(Rung.LENGTH, sentence)
    for key, wanted in expected.items():
        if found := compare(wanted, got[key], tolerance, _item(key, name)):
            return found
    return None


def _numbers(
    expected: object, got: object, tolerance: Tolerance | None, name: str
) -> Difference | None:
    if isinstance(got, np.ndarray) and got.shape == ():
        got = got[()]
    if not isinstance(got, _NUMBER):
        return _wrong_type(describe(expected), got, name)
    if type(expected) is type(got) is int:  # exact, of any size
        if expected == got:
            return None
        if max(abs(expected), abs(got)) >= _READABLE:
            return Difference(Rung.VALUES, f"{name} is another whole number than expected.")
        return Difference(Rung.VALUES, f"{name} should be {expected}, but is {got}.")
    return _arrays(np.asarray(expected), np.asarray(got), tolerance, name)


def _arrays(
    expected: Array, got: object, tolerance: Tolerance | None, name: str
) -> Difference | None:
    if not isinstance(got, np.ndarray):
        return _no_array(expected, got, name)
    if "O" in (expected.dtype.kind, got.dtype.kind):  # an integer too large for any dtype
        return _wrong_type(describe(expected), got, name)
    if got.shape != expected.shape:
        sentence = f"{name} should have shape {_shape(expected)}, but has shape {_shape(got)}."
        return Difference(Rung.SHAPE, sentence)
    return _dtypes(expected, got, name) or _values(expected, got, tolerance, name)


def _shape(array: Array) -> str:
    return str(tuple(int(length) for length in array.shape))


def _dtypes(expected: Array, got: Array, name: str) -> Difference | None:
    wanted, came = _KIND.get(expected.dtype.kind), _KIND.get(got.dtype.kind)
    if expected.ndim == 0 and (wanted, came) == ("float", "integer"):
        return None  # 0 for 0.0 is no mistake; an array of integers is, it cannot hold fractions
    if wanted != came:
        whole = (
            " Integers cannot hold fractions." if wanted == "float" and came == "integer" else ""
        )
        sentence = f"{name} should have dtype {expected.dtype}, but has dtype {got.dtype}.{whole}"
        return Difference(Rung.DTYPE, sentence)
    if wanted in ("float", "complex") and got.dtype.itemsize < expected.dtype.itemsize:
        sentence = (
            f"{name} should have dtype {expected.dtype}, but has dtype {got.dtype}: "
            f"it keeps fewer digits."
        )
        return Difference(Rung.DTYPE, sentence)
    return None


def _values(
    expected: Array, got: Array, tolerance: Tolerance | None, name: str
) -> Difference | None:
    limit = tolerance or usual_tolerance(expected.dtype)
    if tolerance is None and expected.dtype.kind in "biu":
        limit = _EXACT
    if _all_close(expected, got, limit):
        return None
    broken = ~np.isfinite(got) & np.isfinite(expected)
    if broken.any():
        return _not_finite(got, broken, name)
    same = _same(expected, got)
    error = np.where(same, 0.0, np.maximum(_distance(expected, got), _least(expected, got)))
    with np.errstate(all="ignore"):
        allowed = limit.atol + limit.rtol * np.abs(np.where(np.isfinite(expected), expected, 0))
    wrong = ~(error <= allowed)
    if not wrong.any():
        return None
    return _off(expected, got, np.where(wrong, error, -1.0), name)


def _all_close(expected: Array, got: Array, limit: Tolerance) -> bool:
    """Tell quickly that two arrays agree; on NaN, infinity or doubt say no and let others look."""
    if expected.dtype.kind not in "fc":
        return bool((expected == got).all())
    with np.errstate(all="ignore"):
        distance = np.abs(got - expected)
        allowed = limit.atol + limit.rtol * np.abs(expected)
        return bool(((distance <= allowed) & (distance < np.inf)).all())


def _same(expected: Array, got: Array) -> npt.NDArray[np.bool_]:
    """Tell which values are the same, in their own dtypes; NaN is the same as NaN."""
    both_nan = (expected != expected) & (got != got)  # noqa: PLR0124  NaN is not itself
    return np.asarray((expected == got) | both_nan)


def _least(expected: Array, got: Array) -> float:
    """What different values differ by at least, also where float64 cannot tell them apart."""
    whole = {expected.dtype.kind, got.dtype.kind} <= set("biu")
    return 1.0 if whole else float(np.finfo(np.float64).tiny)


def _distance(expected: Array, got: Array) -> npt.NDArray[np.float64]:
    """The distance of each value in float64; inf where one is NaN or infinite."""
    wide = np.complex128 if "c" in (expected.dtype.kind, got.dtype.kind) else np.float64
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(wide) - expected.astype(wide))
    return np.asarray(np.where(np.isnan(distance), np.inf, distance), dtype=np.float64)


def _not_finite(got: Array, broken: npt.NDArray[np.bool_], name: str) -> Difference:
    count, first = int(broken.sum()), _first(broken)
    value = _number(got[first])
    if got.ndim == 0:
        return Difference(Rung.NOT_FINITE, f"{name} is {value}, where a finite number is expected.")
    nans = int(np.isnan(got[broken]).sum())
    what = "NaN" if nans == count else "NaN or infinite" if nans else "infinite"
    where = "" if count == got.size else f"; the first is {value} at {_index(first)}"
    sentence = (
        f"{name} is {what} in {_of(count, got.size, 'place')}, where finite numbers are "
        f"expected{where}."
    )
    return Difference(Rung.NOT_FINITE, sentence, first)


def _off(expected: Array, got: Array, error: npt.NDArray[np.float64], name: str) -> Difference:
    worst = _first(error == error.max())
    wanted, came = _distinct(expected[worst], got[worst])
    if expected.ndim == 0:
        return Difference(Rung.VALUES, f"{name} should be {wanted}, but is {came}.")
    count = int((error >= 0).sum())
    differ = "differs" if count == 1 else "differ"
    error_is = "the error is" if count == 1 else "the largest error is"
    where = "" if expected.size == 1 else f"; {error_is} at {_index(worst)}"
    sentence = (
        f"{name} has the right shape, but {_of(count, expected.size, 'value')} {differ}{where}: "
        f"expected {wanted}, got {came}."
    )
    return Difference(Rung.VALUES, sentence, worst)


def _of(count: int, total: int, noun: str) -> str:
    """Say how many of all that an array has."""
    if count == total:
        return {1: f"its only {noun}", 2: f"both {noun}s"}.get(total, f"all {total} {noun}s")
    return f"{count} of {total} {noun}s"


def _first(where: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(where)), where.shape))


def _index(index: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, index)) + "]"


def _number(value: Any, digits: int = 4) -> str:  # noqa: ANN401  any NumPy scalar
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{complex(value):.{digits}g}"
    number = float(value)
    return f"{number:.{digits}g}" if math.isfinite(number) else str(number)


def _distinct(expected: object, got: object) -> tuple[str, str]:
    """Print two numbers with as many digits as it takes to tell them apart."""
    for digits in (4, 6, 9, 13, 17):
        pair = _number(expected, digits), _number(got, digits)
        if pair[0] != pair[1]:
            break
    return pair


# A number as NumPy prints it, a word, or one other sign; white space only separates.
_TOKEN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[^\W\d]\w*|\S")
_NUMERIC = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NUMPY_DECIMALS = 8  # in a list, a long number says nothing about how exact a short one is


def compare_text(expected: str, got: str, tolerance: Tolerance | None = None) -> Difference | None:
    """Compare what was printed: words exactly, numbers as numbers, white space not at all.

    A number may be off by half a unit of the last digit that is expected, or by `tolerance`. NumPy
    pads the numbers of an array to one width, so `0.5 ` beside `0.25` has two decimals as well. How
    NumPy lays a value out is no difference: `np.float64(0.5)` is 0.5, and `array([1., 2.])` is the
    `[1. 2.]` that `print` makes of it, however the lines are wrapped.

    Returns:
        None if they agree, else the first difference.
    """
    wanted, came = _TOKEN.findall(plain_print(expected)), _TOKEN.findall(plain_print(got))
    if wanted and not came:
        return Difference(Rung.SILENCE, f"Nothing was printed; expected {_line(expected)}.")
    for one, other, decimals in zip(wanted, came, _shared_decimals(wanted), strict=False):
        if not _same_token(one, other, tolerance, decimals):
            sentence = f"Printed {_line(got)}; expected {_line(expected)}."
            if came[-len(wanted) :] == wanted:
                sentence += " This test compares what is printed: take your own prints out."
            elif len(wanted) > 1 and one.strip("[](),"):
                sentence += f" First difference: {other!r:.30} instead of {one!r:.30}."
            return Difference(Rung.TEXT, sentence)
    if len(came) != len(wanted):
        more = "more" if len(came) > len(wanted) else "less"
        sentence = f"Printed {more} than expected: {_line(got)}; expected {_line(expected)}."
        return Difference(Rung.TEXT, sentence)
    return None


_SCALAR = re.compile(r"\bnp\.(?:float|int|uint|complex|bool|longdouble)\w*\(([^()]*)\)")
_CONSTANT = re.compile(r"\bnp\.(True|False|nan|inf)_?\b")
_ARRAY = re.compile(r"\b(?:np\.)?array\(([^()]*(?:\([\d, ]*\)[^()]*)?)\)")


def plain_print(text: str) -> str:
    """Write what NumPy's `repr` gives as its `str` would."""
    if "np." not in text and "array(" not in text:
        return text
    text = _CONSTANT.sub(r"\1", _SCALAR.sub(r"\1", text))
    return _ARRAY.sub(lambda found: _numbers_of(found[1]), text)


def _numbers_of(inside: str) -> str:
    """Keep the numbers of `array(...)`: no commas, and no dtype or shape after the last bracket."""
    numbers, bracket, rest = inside.rpartition("]")
    if "=" in rest:
        rest = ""
    return f"{numbers}{bracket}{rest}".replace(",", " ")


def _shared_decimals(tokens: Sequence[str]) -> list[int]:
    """Return for each token the most decimals in the outermost brackets around it; 0 outside."""
    shared, begin, depth = [0] * len(tokens), 0, 0
    for place, sign in enumerate(tokens):
        if sign == "[":
            begin, depth = (begin if depth else place), depth + 1
        depth -= sign == "]" and depth > 0
        if depth == 0 or place == len(tokens) - 1:
            most = max(map(_decimals, tokens[begin : place + 1])) if tokens[begin] == "[" else 0
            shared[begin : place + 1] = [min(most, _NUMPY_DECIMALS)] * (place + 1 - begin)
            begin = place + 1
    return shared


def _decimals(token: str) -> int:
    mantissa = token.lower().partition("e")[0]
    return len(mantissa.partition(".")[2]) if _NUMERIC.fullmatch(token) else 0


def _same_token(expected: str, got: str, tolerance: Tolerance | None, decimals: int) -> bool:
    if expected == got:
        return True
    if not (_NUMERIC.fullmatch(expected) and _NUMERIC.fullmatch(got)):
        return False
    limit = tolerance or Tolerance(_half_unit(expected, decimals), 0.0)
    wanted, came = float(expected), float(got)
    return abs(wanted - came) <= limit.atol + limit.rtol * abs(wanted)


def _half_unit(printed: str, decimals: int) -> float:
    """Return what a printed number may be off by, with the decimals of the numbers around it."""
    exponent = printed.lower().partition("e")[2]
    own = _decimals(printed)
    if own == 0 and not exponent:
        return 0.0  # a whole number is exact: a shape, a count
    return 0.5 * 10.0 ** (int(exponent or 0) - max(own, decimals)) * (1 + 1e-9)


def _line(text: str) -> str:
    words = " ".join(text.split())
    return f"`{words}`" if len(words) <= 80 else f"`{words[:77]}...`"  # noqa: PLR2004  a line
