"""Results that are the expected ones times, plus or put through something."""

import math
from collections.abc import Iterator

import numpy as np

from grader.grading.comparison.relations.pair import (
    Array,
    Axes,
    Pair,
    Relation,
    RelationId,
    is_varied,
    number,
)

_UNEVEN = 1e-7

_CONSTANTS = (
    (1 / math.log(2), "as if a logarithm were taken to base 2 instead of e"),
    (1 / math.log(10), "as if a logarithm were taken to base 10 instead of e"),
    (math.log(2), "as if a logarithm were taken to base e instead of 2"),
    (math.log(10), "as if a logarithm were taken to base e instead of 10"),
    (math.pi / 180, "as if degrees had been taken for radians"),
)


def negated(pair: Pair) -> Relation | None:
    """Every sign is flipped."""
    if np.any(pair.expected) and pair.same(pair.got, -pair.expected):
        one = "The number is right, but its sign is flipped."
        many = "The numbers are right, but every sign is flipped."
        return Relation("sign-flipped", one if pair.expected.ndim == 0 else many)
    return None


def scaled(pair: Pair) -> Relation | None:
    """Every value is the expected one times the same number."""
    factor = _factor(pair)
    if factor is None:
        return None
    named = name_of(factor, pair.axes, pair.rtol)
    # Of two numbers one is always a multiple of the other: only a factor with a reason counts.
    if not is_varied(pair.expected) and not (named and _is_uneven(pair.expected)):
        return None
    lead = "The result is" if pair.expected.ndim == 0 else "Every value is"
    what = "what is expected" if pair.expected.ndim == 0 else "the expected one"
    sentence = f"{lead} {number(factor)} times {what}{explained(factor, named)}."
    return Relation("constant-factor", sentence)


def explained(factor: float, named: str) -> str:
    """Put what a factor is behind the sentence in which it stands; nothing if it has no name."""
    if not named or named.startswith("as if"):
        return f", {named}" if named else ""
    return f"; {number(factor)} is {named}"


def _factor(pair: Pair) -> float | None:
    if not pair.is_finite:
        return None
    weight = float((pair.expected**2).sum())
    if weight == 0 or not np.isfinite(weight):
        return None
    factor = float((pair.expected * pair.got).sum()) / weight
    if factor == 0 or not pair.same(pair.got, factor * pair.expected):
        return None
    return factor


def _is_uneven(array: Array) -> bool:
    """Tell whether there is a number with many digits: two of them agree on nothing by chance."""
    return bool((np.abs(array - np.round(array, 3)) > _UNEVEN * np.abs(array)).any())


def name_of(factor: float, axes: Axes, rtol: float) -> str:
    """Say what a factor is in terms of the inputs' axes; nothing if it is none of them."""
    for value, words in _candidates(axes):
        if math.isclose(factor, value, rel_tol=10 * rtol):
            return words
    return ""


def _candidates(axes: Axes) -> Iterator[tuple[float, str]]:
    for words, length in axes:
        root = f"the square root of {length}, {words}"
        yield math.sqrt(length), root
        yield 1 / math.sqrt(length), f"1 divided by {root}"
        yield float(length), f"{words}"
        yield 1 / length, f"1 divided by {length}, {words}"
    for words, length in axes:
        about = f"n = {length}, {words}"
        yield length / (length - 1), f"n / (n - 1) for {about}"
        yield (length - 1) / length, f"(n - 1) / n for {about}"
        yield math.sqrt(length / (length - 1)), f"the square root of n / (n - 1) for {about}"
        yield math.sqrt((length - 1) / length), f"the square root of (n - 1) / n for {about}"
    for upper, above in axes:
        for lower, below in axes:
            if above != below:
                ratio = f"{above} / {below}, {upper} divided by {lower}"
                yield math.sqrt(above / below), f"the square root of {ratio}"
                yield above / below, ratio
    yield from _CONSTANTS


def offset(pair: Pair) -> Relation | None:
    """Every value is the expected one plus the same number, or the same in each row."""
    if not pair.is_finite or not is_varied(pair.expected):
        return None
    distance = pair.got - pair.expected
    shift = float(distance.mean())
    scale = float(np.abs(pair.expected).max())
    if abs(shift) > 1e-6 * scale and _is_constant(pair, distance, scale):
        side = "larger" if shift > 0 else "smaller"
        sentence = f"Every value is {number(abs(shift))} {side} than the expected one."
        return Relation("constant-offset", sentence)
    return _row_offset(pair, distance, scale)


def _is_constant(pair: Pair, values: Array, scale: float) -> bool:
    return bool(np.ptp(values) <= 10 * pair.rtol * scale)


def _row_offset(pair: Pair, distance: Array, scale: float) -> Relation | None:
    if pair.expected.ndim == 0 or pair.expected.shape[-1] < 3:  # noqa: PLR2004  two always differ by something
        return None
    if pair.expected.size == pair.expected.shape[-1]:
        return None
    spread = np.ptp(distance, axis=-1)
    if (spread > 10 * pair.rtol * scale).any():
        return None
    rows = pair.got
    for what, value in (
        ("maximum", rows.max(axis=-1)),
        ("mean", rows.mean(axis=-1)),
        ("minimum", rows.min(axis=-1)),
        ("first value", rows[..., 0]),
    ):
        if pair.same(rows - value[..., np.newaxis], pair.expected):
            sentence = f"The values would be right if each row had its {what} subtracted."
            return Relation("subtraction-missing", sentence)
    top = rows.max(axis=-1, keepdims=True)
    total = np.log(np.exp(rows - top).sum(axis=-1, keepdims=True)) + top
    if pair.same(rows - total, pair.expected):
        sentence = (
            "The values would be right if each row had the logarithm of the sum of its "
            "exponentials subtracted."
        )
        return Relation("subtraction-missing", sentence)
    sentence = "Within each row, every value is off by the same amount, another one in each row."
    return Relation("row-offset", sentence)


def applied(pair: Pair) -> Relation | None:
    """A function was applied once too often, or not at all."""
    if not pair.is_finite:
        return None
    one, other = pair.expected, pair.got
    if pair.expected.ndim and not (is_varied(one) and is_varied(other)):
        return None
    if pair.expected.ndim == 0 and float(one) == round(float(one)):
        return None  # 4 is the square of 2, and the sum of 2 and 2
    with np.errstate(all="ignore"):
        images: tuple[tuple[RelationId, Array, Array, str], ...] = (
            ("squared", one**2, other, "Every value is the square of the expected one."),
            ("squared", other**0.5, one, "Every value is the square of the expected one."),
            ("root-taken", other**2, one, "Every value is the square root of the expected one."),
            ("logarithm", np.log(one), other, "Every value is the logarithm of the expected one."),
            (
                "exponential",
                np.exp(one),
                other,
                "Every value is the exponential of the expected one.",
            ),
            ("reciprocal", 1 / one, other, "Every value is 1 divided by the expected one."),
            ("absolute", np.abs(one), other, "The sizes are right, but the signs are lost."),
        )
        for name, image, target, sentence in images:
            if np.isfinite(image).all() and pair.same(image, target):
                return Relation(name, sentence)
    return None


def rounded(pair: Pair) -> Relation | None:
    """Digits were cut off."""
    if not pair.is_finite or not is_varied(pair.got) or not is_varied(pair.expected):
        return None
    if pair.same(pair.got, np.trunc(pair.expected)):
        sentence = "The values are the expected ones with everything after the point cut off."
        return Relation("truncated", sentence)
    if pair.same(pair.got, np.floor(pair.expected)):
        sentence = "The values are the expected ones rounded down to whole numbers."
        return Relation("truncated", sentence)
    for digits in range(9):
        if pair.same(pair.got, np.round(pair.expected, digits)):
            to = "whole numbers" if digits == 0 else f"{digits} decimal{'s' if digits > 1 else ''}"
            return Relation("rounded", f"The values are the expected ones rounded to {to}.")
    return None
