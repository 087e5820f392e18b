"""The sentences about drawn figures, made from the facts of a comparison."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from grader.definitions.wording import plural
from grader.grading.feedback.sentence_tables import (
    SentenceTemplate,
    distinct_texts,
    number_text,
    render_sentence,
)


def figure_sentence(what: str, plot: int = 0, **facts: Any) -> str:
    """Return the sentence about a difference between two figures.

    Args:
        plot: The number of the plot, counted from 1, or 0 if there is only one.
    """
    noun, got = facts.get("noun", "image"), facts.get("got")
    series = _series_name(noun, facts.get("number", 0))
    names = {"which": series, "name": series.lower(), "Thing": _upper(_thing(noun))}
    if isinstance(got, float):
        names["came"], names["wanted"] = distinct_texts(got, facts["expected"])
    sentence = render_sentence(_SENTENCES[what], extra_names=names, **facts)
    return f"In plot {plot}: {sentence[0].lower()}{sentence[1:]}" if plot else sentence


def _text(name: str, expected: str, got: str) -> str:
    """Return the sentence about a title or a label."""
    head, _, axis = name.partition(" of ")
    if name == "title of the figure":
        head, axis = "title", "the figure"
    if not got:
        return f"{_upper(axis or 'the plot')} has no {head}; it should be {expected!r:.80}."
    if not expected:
        return f"{_upper(axis or 'the plot')} has the {head} {got!r:.80}; it should have none."
    return f"The {name} is {got!r:.80}; it should be {expected!r:.80}."


def _count_sentence(noun: str, expected: int, got: int, instead: str = "") -> str:
    nouns = noun.replace("set of", "sets of") if "set of" in noun else f"{noun}s"
    right = f"{expected} are" if expected > 1 else "one is" if expected else "none is"
    if not got:
        there = f" There is a {instead} instead." if instead else ""
        return f"No {noun} is drawn; {right} expected.{there}"
    return f"{plural(got, noun, nouns)} {'is' if got == 1 else 'are'} drawn; {right} expected."


def _y(
    noun: str,
    number: int,
    *,
    at: float,
    expected: float,
    got: float,
    differ: int,
    total: int,
) -> str:
    came, right = distinct_texts(got, expected)
    thing = _thing(noun)
    others = f" {differ} of {total} {thing}s differ." if differ > 1 else ""
    reaches = "reaches" if thing == "bar" else "is at y ="
    where = f"at {number_text(at)}" if thing == "bar" else f"where x = {number_text(at)}"
    return f"{_series_name(noun, number)} {reaches} {came} {where}; it should be {right}.{others}"


def _legend(expected: Sequence[str] | None, got: Sequence[str] | None) -> str:
    labels = _label_list(expected or ())
    if got is None:
        return f"There is no legend; it should say {labels}."
    if expected is None:
        return "There is a legend; there should be none."
    return f"The legend says {_label_list(got)}; it should say {labels}."


def _limits(axis: str, expected: Sequence[float], got: Sequence[float]) -> str:
    pairs = [distinct_texts(one, other) for one, other in zip(got, expected, strict=True)]
    (begin, wanted_begin), (end, wanted_end) = pairs
    return (
        f"The {axis} axis runs from {begin} to {end}; it should run from {wanted_begin} to "
        f"{wanted_end}."
    )


def _image(
    number: int,
    *,
    place: tuple[int, ...],
    expected: float,
    got: float,
    differ: int,
    flipped: bool,
) -> str:
    name = _series_name("image", number)
    if flipped:
        return f"{name} is upside down: its rows are in the reverse order."
    came, right = distinct_texts(got, expected)
    more = f" {differ} values differ." if differ > 1 else ""
    return f"{name} has {came} at {list(place)}; it should have {right}.{more}"


def _series_name(noun: str, number: int) -> str:
    return f"{_upper(noun)} {number}" if number else f"The {noun}"


def _thing(noun: str) -> str:
    return "bar" if "bar" in noun else "point"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _label_list(labels: Sequence[str]) -> str:
    return ", ".join(f"{label!r:.40}" for label in labels[:8]) or "nothing"


def _place(at: Sequence[float]) -> str:
    return f"({', '.join(map(number_text, at))})"


# Placeholders: the facts; `which` and `name` are the series at the beginning and in the middle of a
# sentence; `came` and `wanted` are the drawn and the expected number.
_SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "nothing-drawn": (
        "No figure was drawn. Draw with matplotlib, and return the figure or its axes."
    ),
    "plots": lambda expected, got: (
        f"The figure has {plural(got, 'plot')}; it should have {expected}."
    ),
    "text": _text,
    "count": _count_sentence,
    "starts": "{which} starts at x = {came}; it should start at {wanted}.",
    "ends": "{which} ends at x = {came}; it should run to {wanted}.",
    "size": lambda noun, number, expected, got: (
        f"{_series_name(noun, number)} has {plural(got, _thing(noun))}; it should have {expected}."
    ),
    "x": "{Thing} {point} of {name} is at x = {came}; it should be at {wanted}.",
    "y": _y,
    "begin": "The bar at {at:.4g} of {name} begins at {came}; it should begin at {wanted}.",
    "lies": lambda noun, number, expected: (
        f"{_series_name(noun, number)} is {'upright' if expected else 'lying'}; it should be "
        f"{'lying' if expected else 'upright'}."
    ),
    "label": lambda noun, number, expected, got: (
        f"{_series_name(noun, number)} {f'is labelled {got!r:.80}' if got else 'has no label'}; "
        f"it should {f'be labelled {expected!r:.80}' if expected else 'have none'}."
    ),
    "swapped": "{which} has x and y swapped.",
    "legend": _legend,
    "limits": _limits,
    "scale": "The scale of the {axis} axis is {got!r:.40}; it should be {expected!r:.40}.",
    "style": "Line {number} has the style {got!r:.40}; it should have {expected!r:.40}.",
    "marker": "Line {number} has the marker {got!r:.40}; it should have {expected!r:.40}.",
    "no-text": lambda text, expected: (
        f"The text {text!r:.80} is missing; it should be at {_place(expected)}."
    ),
    "text-place": lambda text, expected, got: (
        f"The text {text!r:.80} is at {_place(got)}; it should be at {_place(expected)}."
    ),
    "image-shape": lambda number, expected, got, turned: (
        f"{_series_name('image', number)} has shape {got}; it should have {expected}."
        f"{' It is transposed.' if turned else ''}"
    ),
    "image": _image,
}
