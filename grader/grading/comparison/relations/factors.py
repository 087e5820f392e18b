"""Results that follow from the expected ones by a factor, a shift or rounding."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from grader.grading.comparison.relations.pair import Axes, Origin, Pair, Relation, is_varied

# Relative distance to three decimals from which a number counts as having more digits.
_UNEVEN = 1e-7

_CONSTANTS: tuple[tuple[float, str, Axes], ...] = (
    (1 / math.log(2), "log-2-for-e", ()),
    (1 / math.log(10), "log-10-for-e", ()),
    (math.log(2), "log-e-for-2", ()),
    (math.log(10), "log-e-for-10", ()),
    (math.pi / 180, "degrees", ()),
)


def find_negation(pair: Pair) -> Relation | None:
    """Return the relation for values whose signs are all flipped."""
    if np.any(pair.expected) and pair.agree(pair.got, -pair.expected):
        return Relation("sign-flipped", {"is_number": pair.expected.ndim == 0})
    return None


def find_factor(pair: Pair) -> Relation | None:
    """Return the relation for values that equal the expected ones times one factor."""
    weight = float((pair.expected**2).sum())
    if not pair.is_finite or weight == 0 or not np.isfinite(weight):
        return None
    factor = float((pair.expected * pair.got).sum()) / weight
    if factor == 0 or not pair.agree(pair.got, factor * pair.expected):
        return None
    origins = find_origins(factor, pair.axes, pair.rtol)
    varied = is_varied(pair.expected)
    if not varied:
        # Any number is a multiple of any other. So the factor needs a formula, and the expected
        # number needs many digits, since a formula rarely fits those by chance.
        distance = np.abs(pair.expected - np.round(pair.expected, 3))
        if not origins or not (distance > _UNEVEN * np.abs(pair.expected)).any():
            return None
    is_number = pair.expected.ndim == 0
    facts = {"factor": factor, "is_number": is_number}
    return Relation("constant-factor", facts, origins=origins, needs_origin=not varied)


def find_origins(factor: float, axes: Axes, rtol: float) -> tuple[Origin, ...]:
    """Return the formulas over the inputs' axes that give a factor, most likely first."""
    return tuple(
        (formula, lengths)
        for value, formula, lengths in _list_candidates(axes)
        if math.isclose(factor, value, rel_tol=10 * rtol)
    )


def find_shared_origin(relation: Relation, others: Sequence[Relation]) -> Origin | None:
    """Return the formula that gives the factors for this input and for inputs of other sizes.

    Several sizes are needed, since a formula may fit a single factor by chance.
    """
    others = [other for other in others if other.id == relation.id]
    for formula, axes in relation.origins:
        if not axes:
            return formula, axes
        fitting = [factor for other in others if (factor := _match_axes(formula, axes, other))]
        if len(fitting) == len(others) and any(
            _list_lengths(each) != _list_lengths(axes) for each in fitting
        ):
            return formula, axes
    return None


def _match_axes(formula: str, axes: Axes, other: Relation) -> Axes:
    """Return the axes with which a formula gives the factor of another relation."""
    names = [(axis.name, axis.number) for axis in axes]
    return next(
        (
            theirs
            for name, theirs in other.origins
            if name == formula and names == [(axis.name, axis.number) for axis in theirs]
        ),
        (),
    )


def _list_lengths(axes: Axes) -> list[int]:
    return [axis.length for axis in axes]


def _list_candidates(axes: Axes) -> Iterator[tuple[float, str, Axes]]:
    # An axis of length 1 is useful only as a divisor of other lengths.
    longer = [axis for axis in axes if axis.length > 1]
    for axis in longer:
        length = axis.length
        yield math.sqrt(length), "root", (axis,)
        yield 1 / math.sqrt(length), "1/root", (axis,)
        yield float(length), "n", (axis,)
        yield 1 / length, "1/n", (axis,)
    for upper, lower in itertools.permutations(axes, 2):
        if upper.length != lower.length:
            yield upper.length / lower.length, "m/n", (upper, lower)
            yield math.sqrt(upper.length / lower.length), "root m/n", (upper, lower)
    for axis in longer:
        length = axis.length
        yield length / (length - 1), "n/(n-1)", (axis,)
        yield (length - 1) / length, "(n-1)/n", (axis,)
        yield math.sqrt(length / (length - 1)), "root n/(n-1)", (axis,)
        yield math.sqrt((length - 1) / length), "root (n-1)/n", (axis,)
    yield from _CONSTANTS


def find_missing_shift(pair: Pair) -> Relation | None:
    """Return the relation for rows that lack a subtraction, such as that of their maximum."""
    if (
        not pair.is_finite
        or not is_varied(pair.expected)
        or pair.expected.ndim == 0
        or pair.expected.size == pair.expected.shape[-1]
        or pair.expected.shape[-1] < 3  # noqa: PLR2004  with two values almost any shift fits
    ):
        return None
    rows = pair.got
    top = rows.max(axis=-1, keepdims=True)
    for name, value in (
        ("maximum", top),
        ("mean", rows.mean(axis=-1, keepdims=True)),
        ("minimum", rows.min(axis=-1, keepdims=True)),
        ("first value", rows[..., :1]),
        ("log-sum-exp", np.log(np.exp(rows - top).sum(axis=-1, keepdims=True)) + top),
    ):
        if pair.agree(rows - value, pair.expected):
            return Relation("subtraction-missing", {"what": name})
    return None


def find_rounding(pair: Pair) -> Relation | None:
    """Return the relation for values that are rounded."""
    if not pair.is_finite or not is_varied(pair.got) or not is_varied(pair.expected):
        return None
    for digits in range(9):
        if pair.agree(pair.got, np.round(pair.expected, digits)):
            return Relation("rounded", {"digits": digits})
    return None
