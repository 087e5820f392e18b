"""The function with which the cells of a lesson show what they have drawn with matplotlib.

It runs after `display.py`, in its namespace. Nothing of ours may be imported here.
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
            # Each can be told from a light page and from a dark one.
            "axes.prop_cycle": importlib.import_module("cycler").cycler(
                color=["#2f7fc1", "#c9621a", "#3c9150", "#b65aa6", "#8f7a1e", "#cf4f4f"]
            ),
            "figure.facecolor": "none",
            "figure.figsize": (6.0, 3.6),
            "legend.framealpha": 0.0,
            "savefig.facecolor": "none",
            "svg.fonttype": "none",  # text stays text
            "svg.hashsalt": "etude",  # or the ids differ from run to run
        }
    )
except ImportError:  # the cell that imports it says so
    pass


def plot(alt: str, title: str = "") -> None:
    """Show the current figure of pyplot, and close it.

    Args:
        alt: What it shows, for those who do not see it.
        title: One line above it.

    Raises:
        ValueError: There is no text, or no figure.
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
    """Return whether a figure is drawn and not shown; close it."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not pyplot.get_fignums():
        return False
    pyplot.close("all")
    return True
