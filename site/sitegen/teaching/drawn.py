"""Curves and array pictures that a lesson computed, one for each choice of the reader.

CSS alone shows the chosen one, in the colours of the page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grader.lessons.figure import Figure
from grader.reports.palette import DIVERGING, SEQUENTIAL, STEPS, Ramp

_WIDTH: Final = 480  # units of the drawing
_HEIGHT: Final = 260
_LEFT: Final = 48  # left edge of the drawing, after the numbers of its axis
_BOTTOM: Final = 26
_TICKS: Final = 5  # about so many numbers on an axis


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: paths with their classes, and axis ticks with their numbers."""

    name: str
    box: tuple[int, int]
    paths: tuple[tuple[str, str], ...]
    ticks: tuple[tuple[bool, float, str], ...] = ()  # True for the x axis, place and number


def view_drawing(figure: Figure) -> dict[str, Any]:
    """Draw all choices to the same scale."""
    arrays = [array.astype(float) for frame in figure.frames for array in frame]
    names, axes = figure.items("names"), figure.items("axes")
    name, choices = figure.choices
    view: dict[str, Any] = {
        "kind": figure.kind,
        "alt": figure.get("alt"),
        "name": name,  # the name of the value that a reader chooses
        "choices": choices,
        "axes": axes,
        "width": _WIDTH,
        "height": _HEIGHT,
        "left": _LEFT,
        "bottom": _BOTTOM,
    }
    if figure.kind == "curve":
        xs = _find_range(frame[0] for frame in figure.frames)
        ys = _find_range(array for frame in figure.frames for array in frame[1:])
        ticks = tuple(_place_ticks(xs, along_x=True)) + tuple(_place_ticks(ys, along_x=False))
        drawn = []
        for x, *curves in figure.frames:
            paths = [(f"curve-{at}", _draw_line(x, y, xs, ys)) for at, y in enumerate(curves, 1)]
            drawn.append((Picture("", (_WIDTH, _HEIGHT), tuple(paths), ticks),))
        return {**view, "frames": drawn, "names": names, "scale": (), "low": "", "high": ""}
    low, high = _find_range(arrays)
    ramp = SEQUENTIAL
    if low < 0:
        ramp, high = DIVERGING, max(high, -low)
        low = -high
    pictures = tuple(
        tuple(
            Picture(
                names[at] if at < len(names) else "",
                array.shape[::-1],
                _cells(array, low, high, ramp),
            )
            for at, array in enumerate(frame)
        )
        for frame in figure.frames
    )
    scale = [ramp.step_class(step) for step in range(STEPS)]  # from low to high
    ends = {"low": f"{low:.3g}", "high": f"{high:.3g}"}
    return {**view, "frames": pictures, "names": (), "scale": scale, **ends}


def _find_range(arrays: Any) -> tuple[float, float]:
    """Return the smallest and the largest number, widened if they are equal."""
    numbers = np.concatenate([np.ravel(array) for array in arrays]).astype(float)
    low, high = float(numbers.min()), float(numbers.max())
    return (low, high) if low < high else (low - 0.5, low + 0.5)


def _place_ticks(ends: tuple[float, float], *, along_x: bool) -> Iterator[tuple[bool, float, str]]:
    """Yield the round numbers between the ends, with their places."""
    low, high = ends
    rough = (high - low) / _TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough * (1 - 1e-9))
    for number in np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step:
        yield (
            along_x,
            float(_place(number, ends, along_x=along_x)),
            f"{number + 0.0:.4g}".replace("-", "\u2212"),
        )


def _place(numbers: Any, ends: tuple[float, float], *, along_x: bool) -> Any:
    share = (np.asarray(numbers, float) - ends[0]) / (ends[1] - ends[0])
    if along_x:
        return np.round(_LEFT + share * (_WIDTH - _LEFT - 12), 1)
    return np.round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - 10), 1)


def _draw_line(x: Any, y: Any, xs: tuple[float, float], ys: tuple[float, float]) -> str:
    points = zip(_place(x, xs, along_x=True), _place(y, ys, along_x=False), strict=True)
    return "M" + "L".join(f"{right:g} {down:g}" for right, down in points)


def _cells(array: NDArray[Any], low: float, high: float, ramp: Ramp) -> tuple[tuple[str, str], ...]:
    """Return one path per colour, in which runs of equal cells in a row are one rectangle."""
    shades = np.round((array - low) / (high - low) * (STEPS - 1)).astype(int)
    paths: dict[int, list[str]] = {}
    for down, row in enumerate(shades.tolist()):
        begin = 0
        for at in range(1, len(row) + 1):
            if at == len(row) or row[at] != row[begin]:
                paths.setdefault(row[begin], []).append(f"M{begin} {down}h{at - begin}v1H{begin}z")
                begin = at
    return tuple((ramp.step_class(shade), "".join(lines)) for shade, lines in sorted(paths.items()))
