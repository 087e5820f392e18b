"""The sentences about the relation of a wrong result to the right one."""

from collections.abc import Mapping, Sequence
from typing import Final

from grader.grading.comparison.relations.pair import MATRIX, Axis, Origin, Relation, RelationId
from grader.grading.feedback.difference_sentences import item_name
from grader.grading.feedback.sentence_tables import SentenceTemplate, number_text, render_sentence


def relation_sentence(
    relation: Relation, origin: Origin | None = None, items: Sequence[str] = ()
) -> str:
    """Return the sentence about a relation, or "" if it is meaningless without an origin.

    Args:
        origin: The formula that gives the factor in the relation, if it is certain.
    """
    if relation.needs_origin and origin is None:
        return ""
    facts = dict(relation.facts)
    if relation.id in _WITH_FACTOR:
        facts["origin"] = origin or ("", ())
    item = item_name(relation.path[0], items) if len(relation.path) == 1 else ""
    if relation.id in _WITH_SUBJECT:
        return render_sentence(_SENTENCES[relation.id], item or "This", extra_names={}, **facts)
    sentence = render_sentence(_SENTENCES[relation.id], extra_names={}, **facts)
    return f"{item}: {sentence}" if item else sentence


def _range_text(low: float, high: float) -> str:
    one, other = number_text(low), number_text(high)
    return one if one == other else f"between {one} and {other}"


def _things(axis: int, ndim: int) -> str:
    """Return the name of the parts along an axis."""
    if ndim == 1:
        return "values"
    if ndim > MATRIX and axis == 0:  # with more axes than a matrix, the first is the batch axis
        return "items along the first axis"
    if axis == ndim - 1:
        return "columns"
    return "rows" if axis == ndim - 2 else f"items along axis {axis}"


def _length(axis: Axis) -> str:
    if axis.number is None:
        return f"the number of values in `{axis.name}`"
    number = "the last axis" if axis.number == -1 else f"axis {axis.number}"
    return f"the length of {number} of `{axis.name}`"


_WITH_FACTOR: Final = ("constant-factor", "scores-scaled")
_WITH_SUBJECT: Final = ("transposed", "reduced-axis")
_CONSTANTS: Final = {
    "log-2-for-e": "as if a logarithm were taken to base 2 instead of e",
    "log-10-for-e": "as if a logarithm were taken to base 10 instead of e",
    "log-e-for-2": "as if a logarithm were taken to base e instead of 2",
    "log-e-for-10": "as if a logarithm were taken to base e instead of 10",
    "degrees": "as if degrees had been taken for radians",
}
_FORMULAS: Final = {
    "root": "the square root of {m}, {first}",
    "1/root": "1 divided by the square root of {m}, {first}",
    "n": "{first}",
    "1/n": "1 divided by {m}, {first}",
    "n/(n-1)": "n / (n - 1) for n = {m}, {first}",
    "(n-1)/n": "(n - 1) / n for n = {m}, {first}",
    "root n/(n-1)": "the square root of n / (n - 1) for n = {m}, {first}",
    "root (n-1)/n": "the square root of (n - 1) / n for n = {m}, {first}",
    "root m/n": "the square root of {m} / {n}, {first} divided by {last}",
    "m/n": "{m} / {n}, {first} divided by {last}",
}


def _origin_text(factor: float, origin: Origin) -> str:
    """Return the end of a sentence about a factor, with its formula if known."""
    formula, axes = origin
    if not axes:
        return f", {_CONSTANTS[formula]}." if formula else "."
    one, other = axes[0], axes[-1]
    formula_text = _FORMULAS[formula].format(
        m=one.length, n=other.length, first=_length(one), last=_length(other)
    )
    return f"; {number_text(factor)} is {formula_text}."


_LOG_SUM_EXP: Final = "the logarithm of the sum of its exponentials"


_SENTENCES: Final[Mapping[RelationId, SentenceTemplate]] = {
    "sign-flipped": lambda is_number: (
        "The number is right, but its sign is flipped."
        if is_number
        else "The numbers are right, but every sign is flipped."
    ),
    "constant-factor": lambda factor, origin, is_number: (
        f"{'The result' if is_number else 'Every value'} is {number_text(factor)} times "
        f"{'what is expected' if is_number else 'the expected one'}{_origin_text(factor, origin)}"
    ),
    "subtraction-missing": lambda what: (
        "The values would be right if each row had "
        f"{_LOG_SUM_EXP if what == 'log-sum-exp' else f'its {what}'} subtracted."
    ),
    "rounded": lambda digits: (
        "The values are the expected ones rounded to whole numbers."
        if digits == 0
        else f"The values are the expected ones rounded to {digits} decimal{'s' * (digits > 1)}."
    ),
    "transposed": lambda this, is_matrix: (
        f"{this} is the expected result with "
        f"{'rows and columns' if is_matrix else 'its last two axes'} swapped."
    ),
    "axes-permuted": "The values are right, but the axes are in another order.",
    "reversed": lambda axis, ndim: f"The {_things(axis, ndim)} are right, but in reverse order.",
    "rows-permuted": lambda axis, ndim: (
        f"The {_things(axis, ndim)} are right, but in another order."
    ),
    "off-by-one": lambda axis, ndim, is_delayed: (
        f"The {_things(axis, ndim)} are right, but stand one place too "
        f"{'late' if is_delayed else 'early'}."
    ),
    "items-swapped": "The items are all there, but in another order.",
    "other-axis": lambda axis, is_matrix, is_share: (
        f"{'Your columns' if is_matrix else f'Your values along axis {axis}'} add up to 1; it is "
        "the rows, along the last axis, that should."
        f"{' Do you divide by sums along the wrong axis?' if is_share else ''}"
    ),
    "reduced-axis": lambda this, what, name, axes: (
        f"{this} is the {what} of `{name}` along {'axis' if len(axes) == 1 else 'axes'} "
        f"{' and '.join(map(str, axes))}; another axis is asked for."
    ),
    "softmax-missing": "These are scores: the softmax of each of your rows is what is expected.",
    "scores-scaled": lambda factor, origin: (
        f"These would be the weights if the scores were {number_text(factor)} times as large"
        f"{_origin_text(factor, origin)}"
    ),
    "not-normalised": lambda low, high: (
        "The proportions are right, but each row should add up to 1; yours add up to "
        f"{_range_text(low, high)}."
    ),
    "row-sums": lambda low, high, is_one_row: (
        f"{'The values' if is_one_row else 'Each row'} should add up to 1; yours add up to "
        f"{_range_text(low, high)}."
    ),
    "axis-dropped": "The values are right, but an axis of length 1 is missing (see `keepdims`).",
    "axis-added": "The values are right, but there is an axis of length 1 too many.",
    "cut": lambda surplus, things, end: (
        f"{abs(surplus)} {things}{'s are' if abs(surplus) > 1 else ' is'} "
        f"{'missing' if surplus < 0 else 'too many'} at the {end}; the rest is right."
    ),
    "reshaped": "The values are right and in the right order; only the shape is not.",
}
