"""Colours: that text on them can be read, and that ramps rise evenly."""

import re
from pathlib import Path

import pytest

import sitegen
from grader.reports.palette import (
    DIVERGING,
    MIDDLE,
    SEQUENTIAL,
    STEPS,
    Ramp,
    contrast,
    ink,
    list_shades,
)
from grader.reports.palette import stylesheet as ramp_stylesheet

AA = 4.5  # what WCAG 2 asks of text at level AA
STYLESHEET = (Path(sitegen.__file__).parents[1] / "assets" / "site.css").read_text()

every_ramp = pytest.mark.parametrize("ramp", [SEQUENTIAL, DIVERGING], ids=lambda ramp: ramp.name)
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def luminance(colour: str) -> float:
    """WCAG's relative luminance, written again from its definition."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(first: str, second: str) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@every_ramp
@every_theme
def test_text_on_every_step_can_be_read(ramp: Ramp, theme: str) -> None:
    """The contrast of each step's text is that of level AA in both themes."""
    steps = list_shades(getattr(ramp, theme))

    assert len(steps) == STEPS == 21
    for step in steps:
        assert ratio(step, ink(step)) >= AA


@every_theme
def test_the_sequential_ramp_never_turns_back(theme: str) -> None:
    """A larger weight is darker in the light theme, and lighter in the dark one."""
    values = [luminance(step) for step in list_shades(getattr(SEQUENTIAL, theme))]

    assert values == sorted(values, reverse=theme == "light")
    assert len(set(values)) == STEPS


@every_theme
def test_the_diverging_ramp_recedes_in_the_middle(theme: str) -> None:
    """Both sides move away from the middle, which is the step nearest to the page."""
    values = [luminance(step) for step in list_shades(getattr(DIVERGING, theme))]
    left, right = values[MIDDLE::-1], values[MIDDLE:]

    assert left == sorted(left, reverse=theme == "light")
    assert right == sorted(right, reverse=theme == "light")


@every_ramp
@every_theme
def test_a_ramp_begins_and_ends_with_its_stops(ramp: Ramp, theme: str) -> None:
    """The colours that were given are in the ramp."""
    stops = getattr(ramp, theme)
    steps = list_shades(stops)

    assert (steps[0], steps[-1]) == (stops[0], stops[-1])


def test_the_contrast_of_black_on_white_is_known() -> None:
    """21 to 1, in either order, and 1 for a colour on itself."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#ffffff", "#000000") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=1e-3)
    assert contrast("#123456", "#123456") == 1.0


@every_ramp
def test_every_step_is_a_class_with_colours_for_both_themes(ramp: Ramp) -> None:
    """The stylesheet has a rule for each step, with the colours of the ramp."""
    css = ramp_stylesheet([ramp])
    light, dark = list_shades(ramp.light)[3], list_shades(ramp.dark)[3]

    assert css.count("{") == css.count("}") == STEPS
    assert (
        f".{ramp.step_class(3)} {{ background: light-dark({light}, {dark}); "
        f"color: light-dark({ink(light)}, {ink(dark)}); "
        f"fill: light-dark({light}, {dark}); }}"
    ) in css


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "grounds"),
    [
        ("ink", ["page", "surface", "sunk", "accent-soft"]),
        ("quiet", ["page", "surface", "sunk"]),
        ("accent", ["page", "surface", "sunk"]),
        ("xp-ink", ["xp-soft"]),
        ("surface", ["accent"]),
        ("surface", ["bad"]),
        ("ink", ["good-soft", "bad-soft", "warn-soft", "insight-soft"]),
        ("insight", ["surface", "insight-soft"]),
        ("good", ["surface", "good-soft"]),
        ("bad", ["surface", "sunk", "bad-soft"]),
        ("warn", ["surface", "warn-soft"]),
        *((f"code-{kind}", ["surface", "sunk"]) for kind in ("keyword", "name", "string")),
        *((f"code-{kind}", ["surface", "sunk"]) for kind in ("number", "comment")),
    ],
)
def test_text_of_the_pages_can_be_read(text: str, grounds: list[str], theme: int) -> None:
    """Each text colour has the contrast of level AA on every ground that it stands on."""
    colours = {
        name: pair[theme]
        for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLESHEET)
    }

    for ground in grounds:
        assert ratio(colours[text], colours[ground]) >= AA, f"{text} on {ground}"


def test_the_stylesheet_is_whole() -> None:
    """Its braces balance, every variable is defined, and it fetches nothing but fonts of ours."""
    used = set(re.findall(r"var\((--[\w-]+)\)", STYLESHEET))
    defined = set(re.findall(r"(--[\w-]+):", STYLESHEET))

    assert STYLESHEET.count("{") == STYLESHEET.count("}")
    assert used == defined
    fonts = {
        f"./{each}.woff2" for each in ("stix-two-math", "stix-two-math-rest", "bricolage-grotesque")
    }
    assert set(re.findall(r"url\((.*?)\)", STYLESHEET)) == fonts
    assert "@import" not in STYLESHEET
