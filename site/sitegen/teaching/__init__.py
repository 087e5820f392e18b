"""The figures of lessons in the form that templates print, one module for each kind.

Their first state is computed here; `site/frontend/src/figures` has the same formulas for the states
that a reader chooses.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from grader.lessons.figure import Figure
from sitegen.cards import OutlineLesson
from sitegen.teaching.broadcasting import view_broadcasting
from sitegen.teaching.curves import view_curves
from sitegen.teaching.drawn import view_drawing
from sitegen.teaching.explorer import view_explorer
from sitegen.teaching.model_map import view_map
from sitegen.teaching.position_products import view_positions
from sitegen.teaching.selection import view_selection
from sitegen.teaching.sliders import view_sliders
from sitegen.teaching.stepper import view_stepper

_VIEWS: Final[dict[str, Callable[[Figure], dict[str, Any]]]] = {
    "arrows": view_sliders,
    "broadcasting": view_broadcasting,
    "compare": view_drawing,
    "curve": view_drawing,
    "curves": view_curves,
    "explorer": view_explorer,
    "image": view_drawing,
    "positions": view_positions,
    "selection": view_selection,
    "shares": view_sliders,
    "stepper": view_stepper,
}


_DRAWN: Final = frozenset({"compare", "curve", "image"})  # kinds that share one template


def view_figure(figure: Figure, name: str, places: Mapping[str, OutlineLesson]) -> dict[str, Any]:
    """Return the first state of a figure for its template.

    Args:
        name: An id that is unique on the page.
        places: The lesson of each part of the model.
    """
    view = view_map(figure, places) if figure.kind == "map" else _VIEWS[figure.kind](figure)
    template = "drawn" if figure.kind in _DRAWN else figure.kind
    return {"template": f"figures/{template}.html", "id": name, "title": figure.title, **view}
