"""The view of a figure, by its kind."""

from collections.abc import Callable
from typing import Final, TypeAlias

from grader.lessons.figure import Figure
from sitegen.teaching.broadcasting import BroadcastingView, view_broadcasting
from sitegen.teaching.explorer import ExplorerView, view_explorer

FigureView: TypeAlias = ExplorerView | BroadcastingView

_VIEWS: Final[dict[str, Callable[[Figure, str], FigureView]]] = {
    "broadcasting": view_broadcasting,
    "explorer": view_explorer,
}


def view_figure(figure: Figure, name: str) -> FigureView:
    """Compute the first state of a figure.

    Args:
        figure: The block of the lesson.
        name: An id that nothing else on the page has.
    """
    return _VIEWS[figure.kind](figure, name)
