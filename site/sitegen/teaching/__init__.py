"""The figures of lessons as the templates print them, one module for each kind.

What they show at first is computed here; `site/frontend/src/figures` has the same formulas for what
a reader chooses. The `name` of a figure is an id that nothing else on its page has.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from grader.lessons.figure import Figure
from sitegen.cards import Stop
from sitegen.teaching.broadcasting import BroadcastingView, view_broadcasting
from sitegen.teaching.curves import CurvesView, view_curves
from sitegen.teaching.drawn import DrawnView, view_drawing
from sitegen.teaching.explorer import ExplorerView, view_explorer
from sitegen.teaching.model_map import MapView, view_map
from sitegen.teaching.position_products import PositionsView, view_positions
from sitegen.teaching.selection import SelectionView, view_selection
from sitegen.teaching.sliders import SlidersView, view_sliders
from sitegen.teaching.stepper import StepperView, view_stepper

FigureView: TypeAlias = (
    BroadcastingView
    | CurvesView
    | DrawnView
    | ExplorerView
    | MapView
    | PositionsView
    | SelectionView
    | SlidersView
    | StepperView
)

_VIEWS: Final[dict[str, Callable[[Figure, str], FigureView]]] = {
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


def view_figure(figure: Figure, name: str, places: Mapping[str, Stop]) -> FigureView:
    """Compute the first state of a figure.

    Args:
        places: The lesson of each part of the model.
    """
    if figure.kind == "map":
        return view_map(figure, name, places)
    return _VIEWS[figure.kind](figure, name)
