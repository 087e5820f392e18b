"""Colour ramps for heatmaps on pages and in HTML, interpolated in OKLab and written as CSS classes.

OKLab is a colour space in which equal steps look equal, so the shade of a cell
follows its value, whatever colours lie between two stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

STEPS = 21  # shades of a ramp; odd, so that the diverging one has a middle
MIDDLE = STEPS // 2

Triple: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[Triple, Triple, Triple]

# Björn Ottosson's matrices and their inverses: https://bottosson.github.io/posts/oklab/
_LMS_FROM_RGB: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_LAB_FROM_LMS: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_LMS_FROM_LAB: Matrix = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_RGB_FROM_LMS: Matrix = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)
_LUMINANCE: Triple = (0.2126, 0.7152, 0.0722)


@dataclass(frozen=True, slots=True)
class Swatch:
    """A cell's background and the text colour that is readable on it, both as `#rrggbb`."""

    background: str
    text: str


@dataclass(frozen=True, slots=True)
class Ramp:
    """A named ramp with its colour stops for the light and the dark theme."""

    name: str
    light: tuple[str, ...]
    dark: tuple[str, ...]

    def step_class(self, step: int) -> str:
        """Return the CSS class of a step, 0 to `STEPS - 1`."""
        return f"{self.name}-{step}"


# Zero has almost the colour of the page, so that large values stand out.
SEQUENTIAL = Ramp(
    "seq",
    light=("#f1f5f1", "#c3e5d8", "#6abfbb", "#2384a3", "#1c4d8a", "#191f56"),
    dark=("#1c252f", "#1d4163", "#1d6f93", "#3aa8a5", "#95daa9", "#f2f8c8"),
)
# Blue against orange, which the common kinds of colour blindness can distinguish.
DIVERGING = Ramp(
    "div",
    light=("#873a04", "#dd8a40", "#f8e0c3", "#f4f4f1", "#c9dff2", "#5c9dd6", "#124b88"),
    dark=("#ffb66f", "#b66520", "#57371b", "#222a33", "#1d3f66", "#3a7dc0", "#a3d3ff"),
)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two `#rrggbb` colours by WCAG 2, from 1 to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def ink(background: str) -> str:
    """Return the text colour, black or white, with more contrast on a background.

    The contrast is at least 4.58, since sqrt(1.05 * 0.05) is that far from both.
    """
    return max("#ffffff", "#000000", key=partial(contrast, background))


def swatches(stops: Sequence[str]) -> tuple[Swatch, ...]:
    """Return `STEPS` swatches evenly spaced between the stops, which are `#rrggbb`."""
    labs = []
    for stop in stops:
        long, medium, short = _apply(_LMS_FROM_RGB, _linear(stop))
        labs.append(_apply(_LAB_FROM_LMS, (long ** (1 / 3), medium ** (1 / 3), short ** (1 / 3))))
    colours = []
    for step in range(STEPS):
        position = step / (STEPS - 1) * (len(stops) - 1)
        index = min(int(position), len(stops) - 2)
        weight = position - index
        ends = zip(labs[index], labs[index + 1], strict=True)
        lightness, green, blue = (start + (end - start) * weight for start, end in ends)
        long, medium, short = _apply(_LMS_FROM_LAB, (lightness, green, blue))
        background = "#"
        for channel in _apply(_RGB_FROM_LMS, (long**3, medium**3, short**3)):
            # A mixture of two colours may leave the gamut slightly.
            inside = min(1.0, max(0.0, channel))
            coded = inside * 12.92 if inside <= 0.0031308 else 1.055 * inside ** (1 / 2.4) - 0.055  # noqa: PLR2004  sRGB's constants
            background += f"{round(coded * 255):02x}"
        colours.append(Swatch(background, ink(background)))
    return tuple(colours)


def stylesheet(ramps: Sequence[Ramp] = (SEQUENTIAL, DIVERGING)) -> str:
    """Return the ramps as CSS: one class per step, with colours for both themes."""
    rules = (
        f".{ramp.step_class(step)} {{ "
        f"background: light-dark({light.background}, {dark.background}); "
        f"color: light-dark({light.text}, {dark.text}); "
        f"fill: light-dark({light.background}, {dark.background}); }}\n"
        for ramp in ramps
        for step, (light, dark) in enumerate(
            zip(swatches(ramp.light), swatches(ramp.dark), strict=True)
        )
    )
    return "".join(rules)


def _apply(matrix: Matrix, vector: Triple) -> Triple:
    x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def _luminance(colour: str) -> float:
    return sum(a * b for a, b in zip(_LUMINANCE, _linear(colour), strict=True))


def _linear(colour: str) -> Triple:
    """Convert `#rrggbb` to linear light, each channel from 0 to 1."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4  # noqa: PLR2004  sRGB's constants
        for channel in channels
    )
    return red, green, blue
