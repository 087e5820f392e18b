"""Figures whose numbers a reader moves by sliders: scores and their shares, and two arrows."""

from dataclasses import dataclass

import numpy as np

from grader.lessons.figure import Figure


@dataclass(frozen=True, slots=True)
class SlidersView:
    """The figure in its first state; only `shares` has bars: a name, its score and its share."""

    template: str
    id: str
    title: str
    bars: tuple[tuple[str, float, float], ...] = ()


def view_sliders(figure: Figure, name: str) -> SlidersView:
    """Compute the first state."""
    pairs = [each.rsplit(maxsplit=1) for each in figure.items("scores")]
    scores = np.array([float(score) for _, score in pairs])
    powers = np.exp(scores)
    names = (each for each, _ in pairs)
    bars = tuple(zip(names, scores.tolist(), (powers / powers.sum()).tolist(), strict=True))
    return SlidersView(f"figures/{figure.kind}.html", name, figure.title, bars)
