"""The plots that a lesson's cells show."""

from dataclasses import dataclass

from markupsafe import Markup

from grader.lessons.execute import ShownPlot
from grader.lessons.safe_svg import safe_svg
from sitegen.safe_html import trusted


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot under its title, which may be empty."""

    title: str
    svg: Markup


def view_plot(shown: ShownPlot, prefix: str) -> Plot:
    """Return a plot; each id in it begins with a prefix, so that no two of a page are the same."""
    return Plot(shown.title, trusted(safe_svg(shown.svg, shown.alt, prefix)))
