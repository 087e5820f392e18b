"""`figure`: compare the data of a drawn figure with the data of the solution's figure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from grader.definitions.exercise import FigurePart, FigureTest, Tolerance
from grader.grading.checks.judgement import Check, Judgement
from grader.grading.comparison.compare import Difference, compare
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.requests import Requests
from grader.grading.results.raw_result import DifferenceKind

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
    """The comparison of the parts of a figure that the test lists."""

    def judge(
        self,
        program: LoadedProgram,
        oracle: Oracle,  # noqa: ARG002  every check has this signature
        draw: Draw,
    ) -> Judgement:
        """Draw the figure with the inputs of one draw and compare it."""
        actual = Requests(program, self.test.where).run_statements(
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
        facts = self._find_difference(expected, got)
        return None if facts is None else Difference(DifferenceKind.FIGURE, "figure", facts)

    def _find_difference(self, expected: Any, got: Any) -> _Data | None:
        """Return the facts about the first difference between two figures, or None."""
        if not _fits(got, _FIGURE):
            return {"what": "nothing-drawn"}
        plots, got_plots = expected["axes"], got["axes"]
        if len(plots) != len(got_plots):
            return {"what": "plots", "expected": len(plots), "got": len(got_plots)}
        if "title" in self.test.compare and not _same_text(expected["title"], got["title"]):
            return _text_facts("title of the figure", expected["title"], got["title"])
        for number, (plot, got_plot) in enumerate(zip(plots, got_plots, strict=True), 1):
            comparison = _PlotComparison(self.test, plot, got_plot)
            for part in self.test.compare:
                for facts in comparison.differences(part):
                    return {**facts, "plot": number if len(plots) > 1 else 0}
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


def _same_text(expected: str, got: str) -> bool:
    return " ".join(expected.split()).casefold() == " ".join(got.split()).casefold()


def _text_facts(name: str, expected: str, got: str) -> dict[str, Any]:
    return {"what": "text", "name": name, "expected": expected, "got": got}


_NAMES: Final = {
    "title": "title", "xlabel": "label of the x axis", "ylabel": "label of the y axis",
}  # fmt: skip
_NOUNS: Final = {"lines": "line", "points": "set of points", "bars": "set of bars"}


class _PlotComparison:
    """The comparison of one drawn plot with the expected one."""

    def __init__(self, test: FigureTest, expected: _Data, got: _Data) -> None:
        self._expected, self._got = expected, got
        self._compares_labels = "legend" in test.compare
        self._tolerance = test.tolerance or _DEFAULT_TOLERANCE

    def differences(self, part: FigurePart) -> Iterator[_Data]:
        """Yield the facts about the differences in one part."""
        if part in _NOUNS:
            return self._series(part)
        methods = {"images": self._images, "texts": self._texts, "styles": self._styles}
        return methods[part]() if part in methods else self._axes(part)

    def _are_close(self, expected: Any, got: Any) -> bool:
        return compare(expected, got, self._tolerance) is None

    def _wrong_values(self, expected: Any, got: Any) -> Any:
        """Return whether each value of an array differs, as an array of booleans."""
        tolerance = self._tolerance
        return ~np.isclose(got, expected, tolerance.rtol, tolerance.atol, equal_nan=True)

    def _axes(self, part: FigurePart) -> Iterator[_Data]:
        """Yield the differences in the title, a label, the legend or the axes."""
        expected, got = self._expected, self._got
        if part == "legend":
            labels = [sorted(map(str.casefold, axes["legend"] or ())) for axes in (expected, got)]
            if labels[0] != labels[1]:
                yield {"what": "legend", "expected": expected["legend"], "got": got["legend"]}
        elif part in ("limits", "scales"):
            kind, ending = ("limits", "lim") if part == "limits" else ("scale", "scale")
            for axis in "xy":
                value, drawn = expected[f"{axis}{ending}"], got[f"{axis}{ending}"]
                if not self._are_close(value, drawn):
                    yield {"what": kind, "axis": axis, "expected": value, "got": drawn}
        elif not _same_text(expected[part], got[part]):
            yield _text_facts(_NAMES[part], expected[part], got[part])

    def _styles(self) -> Iterator[_Data]:
        styles, drawn_styles = (
            sorted((line["style"], line["marker"]) for line in axes["lines"])
            for axes in (self._expected, self._got)
        )
        for number, pairs in enumerate(zip(styles, drawn_styles, strict=False), 1):
            for name, style, drawn in zip(("style", "marker"), *pairs, strict=True):
                if style != drawn:
                    yield {"what": name, "number": number, "expected": style, "got": drawn}

    def _texts(self) -> Iterator[_Data]:
        unmatched = list(self._got["texts"])
        for text in self._expected["texts"]:
            same_texts = [drawn for drawn in unmatched if _same_text(text["text"], drawn["text"])]
            matches = [drawn for drawn in same_texts if self._are_close(text["at"], drawn["at"])]
            facts = {"text": text["text"], "expected": text["at"]}
            if not same_texts:
                yield {"what": "no-text", **facts}
            elif not matches:
                yield {"what": "text-place", **facts, "got": same_texts[0]["at"]}
            else:
                unmatched = [drawn for drawn in unmatched if drawn is not matches[0]]

    def _images(self) -> Iterator[_Data]:
        images, drawn_images = (
            [image["values"] for image in axes["images"]] for axes in (self._expected, self._got)
        )
        if len(images) != len(drawn_images):
            counts = {"expected": len(images), "got": len(drawn_images)}
            yield {"what": "count", "noun": "image", **counts}
            return
        for index, drawn_index in _find_unmatched(images, drawn_images, self._are_close):
            image, drawn = images[index], drawn_images[drawn_index]
            number = drawn_index + 1 if len(images) > 1 else 0
            if image.shape != drawn.shape:
                is_matrix = image.ndim == 2  # noqa: PLR2004  rows and columns
                turned = is_matrix and self._are_close(image.T, drawn)
                facts = {"expected": image.shape, "got": drawn.shape, "turned": turned}
                yield {"what": "image-shape", "number": number, **facts}
                continue
            wrong = self._wrong_values(image, drawn)
            first = np.argwhere(wrong)[0] if wrong.any() else [0] * wrong.ndim
            place = tuple(map(int, first))
            flipped = image.ndim > 1 and self._are_close(image[::-1], drawn)
            facts = {"expected": image[place], "got": drawn[place], "flipped": flipped}
            count = int(wrong.sum())
            yield {"what": "image", "number": number, "differ": count, "place": place, **facts}

    def _series(self, part: FigurePart) -> Iterator[_Data]:
        all_series, drawn_series = (
            [_sort_points(part, series) for series in axes[part]]
            for axes in (self._expected, self._got)
        )
        noun = _NOUNS[part]
        if len(all_series) != len(drawn_series):
            other_kinds = [_NOUNS[kind] for kind in _NOUNS if kind != part and self._got[kind]]
            instead = other_kinds[0] if other_kinds and not drawn_series else ""
            counts = {"expected": len(all_series), "got": len(drawn_series)}
            yield {"what": "count", "noun": noun, "instead": instead, **counts}
            return
        keys = ["x", "y", *(("begin", "lies") if part == "bars" else ())]

        def are_alike(series: _Data, drawn: _Data) -> bool:
            labels = not self._compares_labels or _same_text(series["label"], drawn["label"])
            return labels and all(self._are_close(series[key], drawn[key]) for key in keys)

        for index, drawn_index in _find_unmatched(all_series, drawn_series, are_alike):
            number = drawn_index + 1 if len(all_series) > 1 else 0
            facts = self._describe(all_series[index], drawn_series[drawn_index])
            yield {"noun": noun, "number": number, **facts}

    def _describe(self, series: _Data, drawn: _Data) -> _Data:
        """Return the facts about the difference between two series."""
        x, y, drawn_x, drawn_y = series["x"], series["y"], drawn["x"], drawn["y"]
        if series.get("lies") != drawn.get("lies"):
            return {"what": "lies", "expected": series["lies"]}
        if not self._are_close(x, drawn_x):
            is_swapped = self._are_close(x, drawn_y) and self._are_close(y, drawn_x)
            return {"what": "swapped"} if is_swapped else self._describe_x(series, drawn)
        for key in ("y", "begin"):
            if key in series and not self._are_close(series[key], drawn[key]):
                wrong = self._wrong_values(series[key], drawn[key])
                place = int(np.argmax(wrong))
                facts = {"at": x[place], "differ": int(wrong.sum()) or 1, "total": wrong.size}
                return {
                    "what": key,
                    **facts,
                    "expected": series[key][place],
                    "got": drawn[key][place],
                }
        return {"what": "label", "expected": series["label"], "got": drawn["label"]}

    def _describe_x(self, series: _Data, drawn: _Data) -> _Data:
        x, drawn_x = series["x"], drawn["x"]
        is_line = "style" in series and x.size and drawn_x.size
        for verb, end in (("starts", 0), ("ends", -1)) if is_line else ():
            if not self._are_close(x[end], drawn_x[end]):
                return {"what": verb, "expected": x[end], "got": drawn_x[end]}
        if x.size != drawn_x.size:
            return {"what": "size", "expected": x.size, "got": drawn_x.size}
        place = int(np.argmax(self._wrong_values(x, drawn_x)))
        return {"what": "x", "point": place + 1, "expected": x[place], "got": drawn_x[place]}


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
