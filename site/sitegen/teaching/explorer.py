"""The attention explorer: each word's attention as arcs, as a table, and in a sentence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from grader.lessons.figure import CONTROLS, HEADS, MAX_WORDS, Figure
from sitegen.shading import shade_for
from sitegen.teaching.toy import Array, attention_weights, is_known, toy_data

Parts: TypeAlias = tuple[str, ...]
"""A sentence in parts, of which every second one is emphasised."""

# Sizes of the drawings: a column per word side by side, a row per word one below the other.
WIDE: Final = (800, 150)
ROW: Final = 44  # height of a word's row in the tall drawing
TALL: Final = 130  # width of the tall drawing

_FAINTEST: Final = 0.004  # smaller weights have no arc
# Arcs of other words are drawn from this multiple of an equal share on.
_OTHERS: Final = 1.5
_ALIKE: Final = 0.02  # a smaller range of weights means that all words count alike
_NEARLY_ALL: Final = 0.9
_ROOM: Final = 37.0  # room for the words side by side, in rem, on a card of 40 rem


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the sentence, with its share of the selected word's attention."""

    text: str
    share: str
    shade: str
    is_known: bool
    is_top: bool


@dataclass(frozen=True, slots=True)
class Arc:
    """A line from a word to one that it attends to."""

    wide: str  # the path when words stand side by side
    tall: str  # the path when words stand one below the other
    width: str
    opacity: str
    is_asked: bool  # True for the selected word; arcs of other words are grey


@dataclass(frozen=True, slots=True)
class WeightCell:
    """A weight in the table; `is_masked` is true if the mask hides it."""

    text: str
    shade: str
    is_masked: bool


@dataclass(frozen=True, slots=True)
class Head:
    """A head to choose, with a small picture of its weights."""

    name: str
    picture: tuple[tuple[str, ...], ...]  # the CSS class of each cell


def view_explorer(figure: Figure) -> dict[str, Any]:
    """Compute the first state of an explorer."""
    texts = figure.get("sentence").split()
    ask = texts.index(figure.get("ask", texts[-1]))
    mask, scale = figure.is_on("mask", default=False), figure.is_on("scale", default=True)
    temperature = float(figure.get("temperature", "1"))
    of_heads = [
        attention_weights(texts, head, mask=mask, scale=scale, temperature=temperature)
        for head in HEADS
    ]
    head = HEADS.index(figure.get("head", HEADS[0]))
    weights = of_heads[head]
    top = int(weights[ask].argmax())
    return {
        "sentence": " ".join(texts),
        "ask": ask,
        "words": tuple(
            Word(text, percent(weight), _shade(weight), is_known(text), index == top)
            for index, (text, weight) in enumerate(zip(texts, weights[ask].tolist(), strict=True))
        ),
        "fits": len(texts) * (0.6 * max(map(len, texts)) + 1) <= _ROOM,
        "arcs": _make_arcs(weights, ask),
        "rows": _make_rows(weights, mask=mask),
        "description": describe_row(texts, weights[ask].tolist(), ask, mask=mask),
        "heads": tuple(
            Head(name, tuple(tuple(map(_shade, row)) for row in picture.tolist()))
            for name, picture in zip(HEADS, of_heads, strict=True)
        ),
        "head": head,
        "mask": mask,
        "scale": scale,
        "temperature": temperature,
        "controls": figure.items("controls") or CONTROLS,
        "examples": (" ".join(texts), *tries) if (tries := figure.items("try", "|")) else (),
        "is_small": False,  # with table and switches
        "most_words": MAX_WORDS,
        "tall_height": ROW * len(texts),  # height when words stand one below the other
        "exponent": round(math.log2(temperature), 1),  # the slider moves in powers of two
        "data": toy_data(),  # for sentences that a reader types
    }


def describe_row(words: Sequence[str], row: Sequence[float], ask: int, *, mask: bool) -> Parts:
    """Describe a word's attention in a sentence.

    Args:
        row: The word's weights, one per word.
        mask: True if the word sees only itself and earlier words.
    """
    asking = f"“{words[ask]}”"
    visible = row[: ask + 1] if mask else row
    if len(visible) == 1:
        return ("", asking, " sees only itself: the mask hides what comes later.")
    # Weights that differ only by rounding count as equal, and the earlier word is named first.
    order = sorted(range(len(visible)), key=lambda index: -_round(visible[index], 1_000_000))
    first, second = order[:2]
    names = ["itself" if index == ask else f"“{words[index]}”" for index in range(len(words))]
    if visible[first] - min(visible) < _ALIKE:
        which = "all words that it sees" if mask else "all words"
        return ("", asking, f" looks at {which} alike, {percent(visible[first])} each.")
    if visible[first] >= _NEARLY_ALL:
        return (
            "",
            asking,
            " looks almost only at ",
            names[first],
            f" ({percent(visible[first])}).",
        )
    then = f" ({percent(visible[first])}), then at "
    most = " looks most at "
    return ("", asking, most, names[first], then, names[second], f" ({percent(visible[second])}).")


def percent(weight: float) -> str:
    """Format a weight as `64%`; a weight above 0 is never shown as 0."""
    return "<1%" if 0 < weight < 0.005 else f"{_round(weight)}%"  # noqa: PLR2004  half a per cent


def _round(weight: float, parts: int = 100) -> int:
    return math.floor(parts * weight + 0.5)


_shade: Final = shade_for([0.0, 1.0])


def _make_rows(weights: Array, *, mask: bool) -> tuple[tuple[WeightCell, ...], ...]:
    return tuple(
        tuple(
            WeightCell("", "", is_masked=True)
            if mask and key > query
            else WeightCell(str(_round(weight)), _shade(weight), is_masked=False)
            for key, weight in enumerate(row)
        )
        for query, row in enumerate(weights.tolist())
    )


def _make_arcs(weights: Array, ask: int) -> tuple[Arc, ...]:
    count = len(weights)
    width, height = WIDE
    column = width / count
    arcs = []
    for query, key in np.ndindex(weights.shape):
        weight, is_asked = float(weights[query, key]), query == ask
        if weight < (_FAINTEST if is_asked else _OTHERS / count):
            continue
        start, end = round(column * (query + 0.5)), round(column * (key + 0.5))
        top, bottom = ROW * (2 * query + 1) // 2, ROW * (2 * key + 1) // 2
        if query != key:
            reach = 0.3 + 0.98 * abs(query - key) / max(1, count - 1)
            rise, bulge = round(height * (1 - reach)), round(TALL * reach)
            wide = f"M{start} {height}C{start} {rise} {end} {rise} {end} {height}"
            tall = f"M0 {top}C{bulge} {top} {bulge} {bottom} 0 {bottom}"
        elif is_asked:
            left, right, rise = start - 26, start + 26, height - 52
            wide = f"M{start - 10} {height}C{left} {rise} {right} {rise} {start + 10} {height}"
            tall = f"M0 {top - 6}C40 {top - 20} 40 {top + 20} 0 {top + 6}"
        else:
            continue
        thickness = f"{1 + (11 if is_asked else 2) * weight:.1f}"
        arcs.append(Arc(wide, tall, thickness, f"{0.22 + 0.78 * math.sqrt(weight):.2f}", is_asked))
    return tuple(sorted(arcs, key=lambda arc: arc.is_asked))  # arcs of the selected word on top
