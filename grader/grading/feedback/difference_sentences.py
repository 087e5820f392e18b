"""The sentences about differences, made from the facts of a comparison."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from grader.definitions.properties import PROPERTIES
from grader.definitions.wording import plural, shorten
from grader.grading.comparison.compare import Difference
from grader.grading.feedback import prediction_sentences
from grader.grading.feedback.outcome_sentences import MAX_QUOTE_LENGTH
from grader.grading.feedback.sentence_tables import (
    SentenceTemplate,
    distinct_texts,
    number_text,
    render_sentence,
)
from grader.grading.results.raw_result import DifferenceKind
from grader.sandbox.printable import printable

_THE_RESULT: Final = "The result"
# Matches "Return the pair `(a, b)`", but not "Return an array of shape `(n, d)`".
_TUPLE: Final = re.compile(
    r"[Rr]eturns? (?:(?!shape)[^.`])*`\(([A-Za-z_]\w*(?:, [A-Za-z_]\w*)+)\)`"
)
_LINE: Final = 80  # characters of a printed text that a sentence quotes


def wrong_result_sentence(
    difference: Difference, items: Sequence[str] = (), *, has_reason: bool
) -> str:
    """Return the sentence about a wrong result.

    Args:
        items: The names that the task gives the result's items.
        has_reason: Whether a sentence about the reason follows.
    """
    if difference.kind is DifferenceKind.NOTHING and has_reason:
        return f"{_part(_THE_RESULT, difference.path, items)} is None."
    return difference_sentence(difference, items=items)


def item_naming_text(instructions: str) -> str:
    """Return the phrases of a task that name a result's items: "Return the pair `(a, b)`"."""
    return ". ".join(match[0] for match in _TUPLE.finditer(instructions))


def item_names(instructions: str, result: object) -> tuple[str, ...]:
    """Return the names that a task gives the items of a tuple, or () if they are ambiguous."""
    if not isinstance(result, tuple):
        return ()
    items = {tuple(each[1].split(", ")) for each in _TUPLE.finditer(instructions)}
    fitting = [names for names in items if len(names) == len(result)]
    return fitting[0] if len(fitting) == 1 else ()


def item_name(key: object, names: Sequence[str]) -> str:
    """Return the name of an item for a sentence, by its index or key."""
    if isinstance(key, int) and 0 <= key < len(names):
        return f"`{names[key]}`"
    return f"Item {key!r:.40}"


def _part(whole: str, path: Sequence[object], items: Sequence[str]) -> str:
    """Return the name of a part of a value."""
    name = whole
    for depth, key in enumerate(path):
        part = item_name(key, items if depth == 0 else ())
        name = f"{part} of {name[0].lower()}{name[1:]}"
    return name


def difference_sentence(
    difference: Difference, name: str = _THE_RESULT, items: Sequence[str] = ()
) -> str:
    """Return the sentence about a difference."""
    name = _part(name, difference.path, items)
    if difference.sentence_key == "figure":
        from grader.grading.feedback.figure_sentences import figure_sentence  # rarely needed

        return figure_sentence(**difference.facts)
    table = _SENTENCES
    if difference.sentence_key.startswith("suite-"):
        from grader.grading.feedback.suite_sentences import SUITE_SENTENCES  # rarely needed

        table = SUITE_SENTENCES
    facts = difference.facts
    moved = " and ".join(f"`{name}`" for name in facts.get("moved", ()))
    names = {
        "name": name,
        "kind": describe_value(facts.get("got")),
        "moved": moved,
        "values": _breach_sentence(difference),
    }
    return render_sentence(table[difference.sentence_key], name, extra_names=names, **facts)


def _breach_sentence(difference: Difference) -> str:
    """Return the sentence about the values that breach a property, or ""."""
    cause = difference.cause
    if cause is None:
        return ""
    if difference.sentence_key == "gradient":
        place = difference.facts["place"]
        is_slope = place is None
        part = "The slope along a random direction" if is_slope else f"The entry at {list(place)}"
        return difference_sentence(cause, part)
    if cause.sentence_key == "values" and not cause.path:
        values = _differing_values(**cause.facts)
        return f"{values[0].upper()}{values[1:]}"
    return difference_sentence(cause)


def describe_value(value: object) -> str:
    """Return a phrase for a value's type, such as "an array of shape (2, 3)"."""
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {plural(len(value), 'item')}"
    if (handle := getattr(value, "handle_", None)) is not None:  # if it is a proxy
        return f"an object of your class {handle.kind}"
    kind = "class" if isinstance(value, type) else type(value).__name__
    if isinstance(value, np.number):
        return f"a single number of dtype {kind}"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _type(name: str, expected: object, got: object) -> str:
    return f"{name} should be {describe_value(expected)}, but is {describe_value(got)}."


def _no_array(name: str, expected: object, got: object) -> str:
    if not isinstance(got, (list, tuple)):
        return _type(name, expected, got)
    advice = "Turn it into an array with `np.array(...)`."
    if isinstance(got, tuple) and len(got) == 1:
        advice = "A comma after a value makes it a tuple of one item."
        if isinstance(got[0], np.ndarray) and got[0].dtype.kind in "iu":
            advice = (
                "`np.where` and `np.nonzero` with one argument give a tuple, and so does a comma "
                "after a value. Item `[0]` is the array."
            )
    return f"{_type(name, expected, got)} {advice}"


def _not_finite(
    name: str,
    *,
    count: int,
    total: int,
    nans: int,
    first: object,
    place: Sequence[int],
) -> str:
    kind = "NaN" if nans == count else "NaN or infinite" if nans else "infinite"
    where = "" if count == total else f"; the first is {number_text(first)} at {list(place)}"
    return (
        f"{name} is {kind} in {_share(count, total, 'place')}, where finite numbers are "
        f"expected{where}."
    )


def _differing_values(
    *, expected: object, got: object, count: int, total: int, place: Sequence[int]
) -> str:
    expected_text, got_text = distinct_texts(expected, got)
    differ = "differs" if count == 1 else "differ"
    error_is = "the error is" if count == 1 else "the largest error is"
    where = "" if total == 1 else f"; {error_is} at {list(place)}"
    share = _share(count, total, "value")
    return f"{share} {differ}{where}: expected {expected_text}, got {got_text}."


def _share(count: int, total: int, noun: str) -> str:
    """Return a phrase for some of an array's values or places, such as "2 of 6 values"."""
    if count == total:
        return {1: f"its only {noun}", 2: f"both {noun}s"}.get(total, f"all {total} {noun}s")
    return f"{count} of {total} {noun}s"


def _quote(text: str) -> str:
    return f"`{shorten(' '.join(text.split()), _LINE)}`"


def _both_prints(expected: str, got: str) -> str:
    return f"{_quote(got)}; expected {_quote(expected)}."


def _over_budget(what: str, *, amounts: tuple[float, float], by: str, allowed: float) -> str:
    used, reference = (_amount(what, amount) for amount in amounts)
    least = 1 if what == "memory" else 1e-9
    times = _factor(amounts[0] / max(amounts[1], least))
    return (
        f"Your code used {times} times the {what} of the {by} ({used} against {reference}); "
        f"this exercise allows {_factor(allowed)} times."
    )


def _factor(number: float) -> str:
    return f"{number:.3g}" if number < 10 else f"{number:,.0f}"  # noqa: PLR2004  whole numbers from 10 on


def _amount(resource: str, count: float) -> str:
    if resource == "time":
        return f"{_two_digits(count)} s" if count >= 1 else f"{_two_digits(1000 * count)} ms"
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:  # noqa: PLR2004  decimal units
            return f"{_two_digits(count)} {unit}"
        count /= 1000
    return f"{_two_digits(count)} GB"


def _two_digits(count: float) -> str:
    return f"{count:.2g}" if count < 100 else f"{count:.0f}"  # noqa: PLR2004  whole numbers from 100 on


# Sentences by `Difference.sentence_key`. `name` is the name of the value.
_SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "none": lambda name, expected: (
        f"{name} is None. Does every path through your function end in `return`?"
        if name == _THE_RESULT
        else f"{name} is None, where {describe_value(expected)} is expected."
    ),
    "type": _type,
    "no-array": _no_array,
    "other-value": "{name} should be {expected!r:.80}, but is {got!r:.80}.",
    "length": "{name} should have {expected} items, but has {got}.",
    "key-missing": "{name} has no key {key!r:.40}.",
    "key-not-asked-for": "{name} has the key {key!r:.40}, which is not asked for.",
    "no-single-number": "{name} should be a single number, but is {kind}.",
    "no-array-of-shape": "{name} should be an array of shape {shape}, but is {kind}.",
    "shape": "{name} should have shape {expected}, but has shape {got}.",
    "dtype": "{name} should have dtype {expected}, but has dtype {got}.",
    "dtype-without-fractions": (
        "{name} should have dtype {expected}, but has dtype {got}. Integers cannot hold fractions."
    ),
    "dtype-of-fewer-digits": (
        "{name} should have dtype {expected}, but has dtype {got}: it keeps fewer digits."
    ),
    "not-finite": _not_finite,
    "number-not-finite": lambda name, number: (
        f"{name} is {number_text(number)}, where a finite number is expected."
    ),
    "values": lambda name, **facts: f"{name} has the right shape, but {_differing_values(**facts)}",
    "mask": lambda name, count, total: (
        f"{name} has another mask than expected in {_share(count, total, 'place')}."
    ),
    "number": lambda name, expected, got: "{} should be {}, but is {}.".format(
        name, *distinct_texts(expected, got)
    ),
    "whole-number": "{name} is another whole number than expected.",
    "nothing-printed": lambda _, expected: f"Nothing was printed; expected {_quote(expected)}.",
    "text": lambda _, **texts: f"Printed {_both_prints(**texts)}",
    "text-after-own-prints": lambda _, **texts: (
        f"Printed {_both_prints(**texts)} This test compares what is printed: take your own "
        "prints out."
    ),
    "text-from-a-place": lambda _, wanted, came, **texts: (
        f"Printed {_both_prints(**texts)} First difference: {came!r:.30} instead of {wanted!r:.30}."
    ),
    "more-text": lambda _, **texts: f"Printed more than expected: {_both_prints(**texts)}",
    "less-text": lambda _, **texts: f"Printed less than expected: {_both_prints(**texts)}",
    "memory": lambda _, **facts: _over_budget("memory", **facts),
    "time": lambda _, **facts: _over_budget("time", **facts),
    "input-changed": lambda _, argument, is_right: (
        f"{'The result is right, but your' if is_right else 'Your'} code changes {argument} in "
        "place. Work on a copy, or make a new array."
    ),
    "cannot-use": lambda _, code, error, message: (
        f"The result cannot be used as in `{shorten(code, MAX_QUOTE_LENGTH)}` "
        f"({error}: {shorten(printable(message), MAX_QUOTE_LENGTH)}). "
        "Does your function return what is asked for?"
    ),
    "assertion": lambda _, statement, explanation: (
        f"This does not hold: `{shorten(statement, MAX_QUOTE_LENGTH)}`"
        f"{f': {shorten(printable(explanation), MAX_QUOTE_LENGTH)}' if explanation else ''}"
    ),
    "answer": lambda _, **facts: prediction_sentences.wrong_answer_sentence(**facts),
    # For results that cannot have a property.
    "no-finite-number": "The result should have finite numbers in it, but all are NaN or infinite.",
    "no-numbers": lambda _, got: (
        "The result should be made of numbers, but there is no number in it."
        if isinstance(got, (np.ndarray, list, tuple, dict))
        else f"The result should be made of numbers, but is {describe_value(got)}."
    ),
    "other-than-numbers": lambda _, part: (
        "The result should be made of numbers, but there is "
        f"{'a whole number of too many digits' if isinstance(part, int) else describe_value(part)} "
        "in it."
    ),
    "no-axis": lambda _, axis, ndim: (
        f"The result should have an axis {axis}, but has {plural(ndim, 'axis', 'axes')} only."
    ),
    "no-one-array": "The result should be an array, but is {kind}.",
    "rows": "The result should have one row for each of the {length} {things}.",
    "gradient-shape": (
        "The gradient should have the shape of {moved}, {expected}, but has shape {got}."
    ),
    "gradient-dtype": "The gradient should be an array of floats, but has dtype {dtype}.",
    "scalar": "`{code}` should be one number, but is {kind}.",
    "finite-scalar": "`{code}` should be a finite number, but it is {number}.",
    # For properties.
    "sum": lambda _, axis, place, total: (
        f"Along axis {axis} the result should add up to 1, but the sum"
        f"{f' at {list(place)}' if place else ''} is {total:.6g}."
    ),
    "negative": lambda _, number, place: (
        f"A weight cannot be negative, but the result is {number:.4g} at {list(place)}."
    ),
    "overflow": (
        "With {moved} {factor:,.0f} times as large, {count} of {total} values of the result are "
        "NaN or infinite. Something overflows on the way to a finite number."
    ),
    **{name: each.difference for name, each in PROPERTIES.items() if each.difference},
}
