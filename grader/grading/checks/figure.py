"""`figure`: compare the data of a drawn figure with the data of the solution's figure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from grader.definitions.exercise import FigurePart, FigureTest, Tolerance
from grader.grading.checks.judgement import Check, Judgement
from grader.grading.comparison.compare import Difference, DifferenceKind, compare
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.loaded_program import LoadedProgram

_DEFAULT_TOLERANCE: Final = Tolerance(atol=1e-9, rtol=1e-5)  # smaller differences are invisible
_Data: TypeAlias = Mapping[str, Any]
_Item = TypeVar("_Item")


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype == np.float64


def _is_row(value: Any) -> bool:
    return _is_array(value) and value.ndim == 1


def _is_pair(value: Any) -> bool:
    return _is_array(value) and value.shape == (2,)


# The form of a child's answer. It is checked because a submission can forge an answer. A list in
# this schema stands for any number of items of the form of its only item.
_SERIES: Final = {"x": _is_row, "y": _is_row, "label": _is_text}
_AXES: Final[_Data] = {
    **dict.fromkeys(("title", "xlabel", "ylabel", "xscale", "yscale"), _is_text),
    **dict.fromkeys(("xlim", "ylim"), _is_pair),
    "legend": lambda value: value is None or _fits(value, [_is_text]),
    "lines": [{**_SERIES, "style": _is_text, "marker": _is_text}],
    "points": [_SERIES],
    "bars": [{**_SERIES, "begin": _is_row, "lies": lambda value: type(value) is bool}],
    "images": [{"values": _is_array}],
    "texts": [{"text": _is_text, "at": _is_pair}],
}
_FIGURE: Final[_Data] = {"title": _is_text, "axes": [_AXES]}
# The keys of the figure's data for each part whose name is not itself a key.
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "limits": ("xlim", "ylim"),
    "scales": ("xscale", "yscale"),
    "styles": ("lines",),
}


class FigureCheck(Check[FigureTest]):
    """Compares the parts of a figure that the test lists."""

    def judge(
        self,
        program: LoadedProgram,
        oracle: Oracle,  # noqa: ARG002  every check has this signature
        draw: Draw,
    ) -> Judgement:
        """Draw the figure with the inputs of one draw and compare it."""
        actual = program.make_proxies(self.test.where).run_statements(
            "draw_figure", self.test.figure, draw.inputs
        )
        parts_that_count = None
        if isinstance(actual, dict) and _fits(actual, _FIGURE):
            # Known mistakes are recognized by the compared parts alone.
            keys = {key for part in self.test.compare for key in _NEEDED.get(part, (part,))}
            parts_that_count = [
                {key: axes[key] for key in axes if key in keys} for axes in actual["axes"]
            ]
        return Judgement(self.compare_values(draw.expected, actual), parts_that_count)

    def compare_values(self, expected: Any, got: Any) -> Difference | None:
        """Return the first difference between two figures in a compared part, or None."""
        if not _fits(got, _FIGURE):
            return Difference(DifferenceKind.FIGURE, "figure", {"what": "nothing-drawn"})
        parts, tolerance = self.test.compare, self.test.tolerance or _DEFAULT_TOLERANCE
        expected_axes, actual = expected["axes"], got["axes"]
        if len(expected_axes) != len(actual):
            facts = {"what": "plots", "expected": len(expected_axes), "got": len(actual)}
            return Difference(DifferenceKind.FIGURE, "figure", facts)
        if "title" in parts and not _same_text(expected["title"], got["title"]):
            facts = _text_facts("title of the figure", expected["title"], got["title"])
            return Difference(DifferenceKind.FIGURE, "figure", facts)
        for number, (plot, got_plot) in enumerate(zip(expected_axes, actual, strict=True), 1):
            for part in parts:
                for difference in _DIFFERENCES[part](part, plot, got_plot, tolerance, parts):
                    facts = {**difference, "plot": number if len(expected_axes) > 1 else 0}
                    return Difference(DifferenceKind.FIGURE, "figure", facts)
        return None


def _fits(value: Any, form: Any) -> bool:
    """Return whether a value matches a form at every level.

    All rows of one mapping must have the same length.
    """
    if isinstance(form, list):
        return type(value) is list and all(_fits(item, form[0]) for item in value)
    if isinstance(form, Mapping):
        return (
            type(value) is dict
            and value.keys() == form.keys()
            and all(_fits(value[key], each) for key, each in form.items())
            and len({value[key].size for key, each in form.items() if each is _is_row}) <= 1
        )
    return bool(form(value))


def _are_close(expected: Any, got: Any, tolerance: Tolerance) -> bool:
    return compare(expected, got, tolerance) is None


def _same_text(expected: str, got: str) -> bool:
    return " ".join(expected.split()).casefold() == " ".join(got.split()).casefold()


def _text_facts(name: str, expected: str, got: str) -> dict[str, Any]:
    return {"what": "text", "name": name, "expected": expected, "got": got}


_NAMES: Final = {
    "title": "title", "xlabel": "label of the x axis", "ylabel": "label of the y axis",
}  # fmt: skip


def _axes(
    part: FigurePart, expected: _Data, got: _Data, tolerance: Tolerance, _parts: Sequence[str]
) -> Iterator[_Data]:
    """Yield the differences in the title, a label, the legend or the axes of one plot."""
    if part == "legend":
        labels = [sorted(map(str.casefold, axes["legend"] or ())) for axes in (expected, got)]
        if labels[0] != labels[1]:
            yield {"what": "legend", "expected": expected["legend"], "got": got["legend"]}
    elif part in ("limits", "scales"):
        kind = "limits" if part == "limits" else "scale"
        for axis in "xy":
            key = f"{axis}{'lim' if part == 'limits' else 'scale'}"
            if not _are_close(expected[key], got[key], tolerance):
                yield {
                    "what": kind,
                    "axis": axis,
                    "expected": expected[key],
                    "got": got[key],
                }
    elif not _same_text(expected[part], got[part]):
        yield _text_facts(_NAMES[part], expected[part], got[part])


def _styles(
    _part: FigurePart, expected: _Data, got: _Data, _tolerance: Tolerance, _parts: Sequence[str]
) -> Iterator[_Data]:
    expected_styles, styles = (
        sorted((line["style"], line["marker"]) for line in axes["lines"])
        for axes in (expected, got)
    )
    for key, (expected_value, actual) in enumerate(zip(expected_styles, styles, strict=False)):
        for index, name in enumerate(("style", "marker")):
            if expected_value[index] != actual[index]:
                facts = {"expected": expected_value[index], "got": actual[index]}
                yield {"what": name, "number": key + 1, **facts}


def _texts(
    _part: FigurePart, expected: _Data, got: _Data, tolerance: Tolerance, _parts: Sequence[str]
) -> Iterator[_Data]:
    unmatched = list(got["texts"])
    for text in expected["texts"]:
        same_texts = [drawn for drawn in unmatched if _same_text(text["text"], drawn["text"])]
        matches = [drawn for drawn in same_texts if _are_close(text["at"], drawn["at"], tolerance)]
        facts = {"text": text["text"], "expected": text["at"]}
        if not same_texts:
            yield {"what": "no-text", **facts}
        elif not matches:
            yield {"what": "text-place", **facts, "got": same_texts[0]["at"]}
        else:
            unmatched = [drawn for drawn in unmatched if drawn is not matches[0]]


def _images(
    _part: FigurePart, expected: _Data, got: _Data, tolerance: Tolerance, _parts: Sequence[str]
) -> Iterator[_Data]:
    expected_images, actual = (
        [image["values"] for image in axes["images"]] for axes in (expected, got)
    )
    if len(expected_images) != len(actual):
        yield {
            "what": "count",
            "noun": "image",
            "expected": len(expected_images),
            "got": len(actual),
        }
        return
    for index, got_index in _find_unmatched(
        expected_images, actual, lambda a, b: _are_close(a, b, tolerance)
    ):
        a, b = expected_images[index], actual[got_index]
        several = got_index + 1 if len(expected_images) > 1 else 0
        if a.shape != b.shape:
            turned = a.ndim == 2 and a.T.shape == b.shape and _are_close(a.T, b, tolerance)  # noqa: PLR2004  rows and columns
            facts = {"expected": a.shape, "got": b.shape, "turned": turned}
            yield {"what": "image-shape", "number": several, **facts}
            continue
        wrong = ~np.isclose(b, a, tolerance.rtol, tolerance.atol, equal_nan=True)
        first = np.argwhere(wrong)[0] if wrong.any() else [0] * wrong.ndim
        place = tuple(int(each) for each in first)
        flipped = a.ndim > 1 and _are_close(a[::-1], b, tolerance)
        facts = {"place": place, "expected": a[place], "got": b[place], "flipped": flipped}
        yield {"what": "image", "number": several, "differ": int(wrong.sum()), **facts}


_NOUNS: Final = {"lines": "line", "points": "set of points", "bars": "set of bars"}


def _series(
    part: FigurePart, expected: _Data, got: _Data, tolerance: Tolerance, parts: Sequence[str]
) -> Iterator[_Data]:
    expected_data = [_sort_points(part, series) for series in expected[part]]
    actual = [_sort_points(part, series) for series in got[part]]
    noun = _NOUNS[part]
    if len(expected_data) != len(actual):
        other_kinds = [_NOUNS[kind] for kind in _NOUNS if kind != part and got[kind]]
        instead = other_kinds[0] if other_kinds and not actual else ""
        counts = {"expected": len(expected_data), "got": len(actual)}
        yield {"what": "count", "noun": noun, "instead": instead, **counts}
        return
    keys = ["x", "y", *(("begin", "lies") if part == "bars" else ())]

    def are_alike(series: _Data, drawn: _Data) -> bool:
        labels = "legend" not in parts or _same_text(series["label"], drawn["label"])
        return labels and all(_are_close(series[key], drawn[key], tolerance) for key in keys)

    for index, got_index in _find_unmatched(expected_data, actual, are_alike):
        number = got_index + 1 if len(expected_data) > 1 else 0
        facts = _find_difference(expected_data[index], actual[got_index], tolerance)
        yield {"noun": noun, "number": number, **facts}


def _sort_points(part: FigurePart, series: _Data) -> _Data:
    """Return a series with scattered points sorted, since their order has no meaning."""
    if part != "points" or series["x"].shape != series["y"].shape:
        return series
    order = np.lexsort((series["y"], series["x"]))
    return {**series, "x": series["x"][order], "y": series["y"][order]}


def _find_unmatched(
    expected: Sequence[_Item], got: Sequence[_Item], are_alike: Callable[[_Item, _Item], bool]
) -> Iterator[tuple[int, int]]:
    """Pair like items, then yield the index pairs of the items that are left on both sides."""
    unmatched, missing = list(range(len(got))), list[int]()
    for number, item in enumerate(expected):
        match = next((index for index in unmatched if are_alike(item, got[index])), None)
        if match is None:
            missing.append(number)
        else:
            unmatched.remove(match)
    yield from zip(missing, unmatched, strict=True)


def _find_difference(expected: _Data, got: _Data, tolerance: Tolerance) -> _Data:
    """Return the facts about the difference between two series."""
    x, y, own_x, own_y = expected["x"], expected["y"], got["x"], got["y"]
    if expected.get("lies") != got.get("lies"):
        return {"what": "lies", "expected": expected["lies"]}
    if not _are_close(x, own_x, tolerance):
        is_swapped = _are_close(x, own_y, tolerance) and _are_close(y, own_x, tolerance)
        return {"what": "swapped"} if is_swapped else _other_x(expected, got, tolerance)
    if not _are_close(y, own_y, tolerance):
        places = _far(y, own_y, tolerance)
        values = {"expected": y[places[0]], "got": own_y[places[0]]}
        return {"what": "y", "at": x[places[0]], "differ": len(places), "total": y.size, **values}
    if "begin" in expected and not _are_close(expected["begin"], got["begin"], tolerance):
        place = _far(expected["begin"], got["begin"], tolerance)[0]
        values = {"expected": expected["begin"][place], "got": got["begin"][place]}
        return {"what": "begin", "at": x[place], **values}
    return {"what": "label", "expected": expected["label"], "got": got["label"]}


def _other_x(expected: _Data, got: _Data, tolerance: Tolerance) -> _Data:
    x, got_x = expected["x"], got["x"]
    is_line = "style" in expected and x.size and got_x.size
    for verb, end in (("starts", 0), ("ends", -1)) if is_line else ():
        if not _are_close(x[end], got_x[end], tolerance):
            return {"what": verb, "expected": x[end], "got": got_x[end]}
    if x.size != got_x.size:
        return {"what": "size", "expected": x.size, "got": got_x.size}
    place = _far(x, got_x, tolerance)[0]
    return {"what": "x", "point": place + 1, "expected": x[place], "got": got_x[place]}


def _far(expected: Any, got: Any, tolerance: Tolerance) -> list[int]:
    """Return the indices at which two arrays of equal length differ; 0 if there are none."""
    wrong = ~np.isclose(got, expected, tolerance.rtol, tolerance.atol, equal_nan=True)
    return [int(each) for each in np.flatnonzero(wrong)] or [0]


_DIFFERENCES: Final = {
    "lines": _series,
    "points": _series,
    "bars": _series,
    "images": _images,
    "texts": _texts,
    "styles": _styles,
    "title": _axes,
    "xlabel": _axes,
    "ylabel": _axes,
    "legend": _axes,
    "limits": _axes,
    "scales": _axes,
}
