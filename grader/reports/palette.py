"""Colour ramps for heatmaps on pages and in HTML, written as CSS classes.

The stops of a ramp are so close that the colours between them may be mixed channel by channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

STEPS = 21  # shades of a ramp; odd, so that the diverging one has a middle
MIDDLE = STEPS // 2


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


def list_shades(stops: Sequence[str]) -> list[str]:
    """Return `STEPS` colours evenly spaced between the stops, all as `#rrggbb`."""
    shades = []
    for step in range(STEPS):
        position = step / (STEPS - 1) * (len(stops) - 1)
        index = min(int(position), len(stops) - 2)
        weight = position - index
        ends = zip(_channels(stops[index]), _channels(stops[index + 1]), strict=True)
        mixture = (round(start + (end - start) * weight) for start, end in ends)
        shades.append("#{:02x}{:02x}{:02x}".format(*mixture))
    return shades


def stylesheet(ramps: Sequence[Ramp] = (SEQUENTIAL, DIVERGING)) -> str:
    """Return the ramps as CSS: one class per step, with colours for both themes."""
    rules = (
        f".{ramp.step_class(step)} {{ background: light-dark({light}, {dark}); "
        f"color: light-dark({ink(light)}, {ink(dark)}); fill: light-dark({light}, {dark}); }}\n"
        for ramp in ramps
        for step, (light, dark) in enumerate(
            zip(list_shades(ramp.light), list_shades(ramp.dark), strict=True)
        )
    )
    return "".join(rules)


def _luminance(colour: str) -> float:
    """Return the relative luminance of a colour by WCAG 2, from 0 to 1."""
    parts = (channel / 255 for channel in _channels(colour))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004  sRGB's constants
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> bytes:
    """Return red, green and blue of `#rrggbb`."""
    return bytes.fromhex(colour[1:])
