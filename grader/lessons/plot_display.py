"""The function with which the cells of a lesson show their matplotlib figures.

This file runs in the sandbox after `display.py`, in the same namespace, so it cannot import any of
Etude's modules.
"""

import importlib
import io
import sys
from typing import Any

try:
    _matplotlib: Any = importlib.import_module("matplotlib")
    _matplotlib.use("svg")
    _matplotlib.rcParams.update(
        {
            "axes.facecolor": "none",
            # Each colour stands out from a light page and from a dark one.
            "axes.prop_cycle": importlib.import_module("cycler").cycler(
                color=["#2f7fc1", "#c9621a", "#3c9150", "#b65aa6", "#8f7a1e", "#cf4f4f"]
            ),
            "figure.facecolor": "none",
            "figure.figsize": (6.0, 3.6),
            "legend.framealpha": 0.0,
            "savefig.facecolor": "none",
            "svg.fonttype": "none",  # keeps text as text, not as outlines
            "svg.hashsalt": "etude",  # makes the ids the same in every run
        }
    )
except ImportError:  # the cell that imports matplotlib will raise it too
    pass


def plot(alt: str, title: str = "") -> None:
    """Show the current figure of pyplot, and close it.

    Args:
        alt: A sentence on what the figure shows, for readers who cannot see it.
        title: One line above the figure.

    Raises:
        ValueError: `alt` is empty, or there is no figure.
    """
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError("a plot needs a text that says what it shows: plot('...')")
    if pyplot is None or not pyplot.get_fignums():
        raise ValueError("nothing is drawn yet")
    displays: list[dict[str, Any]] = globals()["_displays"]
    file = io.StringIO()
    pyplot.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close()
    displays.append(
        {"kind": "plot", "title": str(title), "alt": alt.strip(), "svg": file.getvalue()}
    )


def _left_open() -> bool:
    """Return whether a figure was drawn and not shown, and close it."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not pyplot.get_fignums():
        return False
    pyplot.close("all")
    return True
