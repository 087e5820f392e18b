"""The data of a figure that a submission has drawn with matplotlib, without rendering it."""

import ast
import sys
from typing import Any

import numpy as np

_MAX_AXES = 32  # axes of one figure
_MAX_ARTISTS = 500  # artists of one kind in one axes
_MAX_TEXT_LENGTH = 500  # characters of a title or a label


def draw(statements: str, namespace: dict[str, Any]) -> Any:
    """Run statements; return the value of the last one if it is an expression, or None."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
    tree = ast.parse(statements, "<test>")
    last = tree.body[-1] if tree.body else None
    value = None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, "<test>", "exec"), namespace)  # noqa: S102  in a sandbox
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<test>", "eval"), namespace)  # noqa: S307  in a sandbox
    return value


def figure_data(value: Any) -> dict[str, Any] | None:
    """Return the data of a figure, or None if nothing was drawn.

    Args:
        value: The figure, its axes, or one of its parts. For any other value, the current figure
            of pyplot is used.
    """
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    figure = _find_figure(value)
    if figure is None and pyplot is not None and pyplot.get_fignums():
        figure = pyplot.gcf()
    if figure is None:
        return None
    title = getattr(figure, "_suptitle", None)
    return {
        "title": "" if title is None else _text(title.get_text()),
        "axes": [_axes(each) for each in figure.axes[:_MAX_AXES]],
    }


def _find_figure(value: Any) -> Any:
    """Return the figure that a value is or belongs to, or None."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = value.ravel().tolist()
    if isinstance(value, (list, tuple)):  # as returned by `subplots` or `plot`
        return next(filter(None, map(_find_figure, value)), None)
    base: Any = sys.modules.get("matplotlib.figure")
    if base is None:
        return None
    for candidate in (value, getattr(value, "figure", None)):
        if isinstance(candidate, base.Figure):
            return candidate
    return None


def _axes(axes: Any) -> dict[str, Any]:
    legend = axes.get_legend()
    bars = [container for container in axes.containers if hasattr(container, "patches")]
    module: Any = sys.modules["matplotlib.collections"]
    scattered = [each for each in axes.collections if isinstance(each, module.PathCollection)]
    meshes = [each for each in axes.collections if isinstance(each, module.QuadMesh)]
    points, images = [], []
    for collection in scattered[:_MAX_ARTISTS]:
        at: Any = np.ma.filled(np.ma.asarray(collection.get_offsets(), dtype=float), np.nan)
        points.append(
            {"x": _numbers(at[:, 0]), "y": _numbers(at[:, 1]), "label": _label(collection)}
        )
    for image in [*axes.images, *meshes][:_MAX_ARTISTS]:
        values: Any = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
        images.append({"values": np.ascontiguousarray(values, dtype=np.float64)})
    return {
        "title": _text(axes.get_title()),
        "xlabel": _text(axes.get_xlabel()),
        "ylabel": _text(axes.get_ylabel()),
        "xlim": _numbers(axes.get_xlim()),
        "ylim": _numbers(axes.get_ylim()),
        "xscale": str(axes.get_xscale()),
        "yscale": str(axes.get_yscale()),
        "legend": None if legend is None else [_text(t.get_text()) for t in legend.get_texts()],
        "lines": [
            {
                "x": _numbers(line.get_xdata(orig=False)),
                "y": _numbers(line.get_ydata(orig=False)),
                "label": _label(line),
                "style": str(line.get_linestyle()),
                "marker": str(line.get_marker()),
            }
            for line in axes.lines[:_MAX_ARTISTS]
        ],
        "points": points,
        "bars": [_bars(bar) for bar in bars[:_MAX_ARTISTS]],
        "images": images,
        "texts": [
            {"text": _text(text.get_text()), "at": _numbers(text.get_position())}
            for text in axes.texts[:_MAX_ARTISTS]
        ],
    }


def _bars(bars: Any) -> dict[str, Any]:
    """Return the data of bars.

    `x` has their centers, `begin` and `y` their two ends, in the same way for bars that lie.
    """
    lies = getattr(bars, "orientation", "vertical") == "horizontal"
    boxes = [[p.get_x(), p.get_y(), p.get_width(), p.get_height()] for p in bars.patches]
    x, y, width, height = np.array(boxes, dtype=float).reshape(-1, 4).T
    at, begin, length = (y + height / 2, x, width) if lies else (x + width / 2, y, height)
    return {
        "x": _numbers(at),
        "y": _numbers(begin + length),
        "begin": _numbers(begin),
        "lies": bool(lies),
        "label": _label(bars),
    }


def _label(artist: Any) -> str:
    label = _text(artist.get_label())
    return "" if label.startswith("_") else label  # matplotlib's default labels begin with "_"


def _numbers(values: Any) -> Any:
    """Return numbers as an array of shape (n,)."""
    filled = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    return np.array(filled, dtype=np.float64).reshape(-1)


def _text(text: object) -> str:
    return str(text)[:_MAX_TEXT_LENGTH]
