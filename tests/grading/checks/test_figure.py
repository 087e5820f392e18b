"""A drawn figure, judged by its data: what is said of each difference, and the way there."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise, FigurePart, FigureTest, TestId, Tolerance
from grader.definitions.student_edition import student_text
from grader.errors import DefinitionError, Location
from grader.grading.checks import make_check
from grader.grading.expected.public_form import missing_in_page
from grader.grading.feedback.difference_sentences import difference_sentence
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.submission import Submission
from grader.sandbox.backends import LANDLOCK, NAMESPACES, Backend
from grader.sandbox.examination import examine
from grader.sandbox.in_child.drawn_figure import figure_data
from grader.sandbox.process import Sandbox
from tests.grading.conftest import grade

pytestmark = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed; `make .venv/.dev` does it"
)


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep matplotlib's list of fonts out of this user's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPLCONFIGDIR", str(tmp_path_factory.mktemp("matplotlib")))
        yield


Draw = Callable[[Any], object]
ALL: tuple[FigurePart, ...] = (
    *("lines", "points", "bars", "images", "texts", "styles"),
    *("title", "xlabel", "ylabel", "legend", "limits", "scales"),
)
PLOTS = Path(__file__).parents[3] / "docs" / "reference" / "examples" / "plots"


def data(*drawings: Draw) -> dict[str, Any]:
    """The data of a figure with a plot for each drawing."""
    figure = import_module("matplotlib.figure").Figure()
    for number, draw in enumerate(drawings, 1):
        draw(figure.add_subplot(1, len(drawings), number))
    found = figure_data(figure)
    assert found is not None
    return found


def sentence_about(right: dict[str, Any], drawn: object, *parts: FigurePart, **options: Any) -> str:
    """The sentence about a figure; "" if it is right."""
    if parts:
        options["compare"] = parts
    test = FigureTest(where=Location(Path("x")), id=TestId("t"), figure="f()", **options)
    example = load_exercise_file(PLOTS / "drawing" / "01-loss-curve.yaml")
    difference = make_check(example, test).compare_values(right, drawn)
    return "" if difference is None else difference_sentence(difference)


def NOTHING(_: Any) -> None:  # noqa: N802  a constant among the drawings below
    pass


def CURVE(axes: Any) -> object:  # noqa: N802  as above
    return axes.plot([1, 2, 3], [4.0, 2.0, 1.0], label="loss")


@pytest.mark.parametrize(
    ("right", "drawn", "part", "sentence"),
    [
        (CURVE, lambda a: a.plot([1, 2], [4, 2]), "lines", "The line ends at x = 2; it should run to 3."),
        (CURVE, lambda a: a.plot([0, 1, 2], [4, 2, 1]), "lines", "The line starts at x = 0; it should start at 1."),
        (CURVE, lambda a: a.plot([1, 3], [4, 1]), "lines", "The line has 2 points; it should have 3."),
        (CURVE, lambda a: a.plot([1, 2.5, 3], [4, 2, 1]), "lines", "Point 2 of the line is at x = 2.5; it should be at 2."),
        (CURVE, lambda a: a.plot([1, 2, 3], [4, 5, 7]), "lines", "The line is at y = 5 where x = 2; it should be 2. 2 of 3 points differ."),
        (CURVE, lambda a: a.plot([1, 2, 3], [4, 2, np.nan]), "lines", "The line is at y = nan where x = 3; it should be 1."),
        (CURVE, lambda a: a.plot([4, 2, 1], [1, 2, 3]), "lines", "The line has x and y swapped."),
        (CURVE, lambda a: a.plot([], []), "lines", "The line has 0 points; it should have 3."),
        (CURVE, lambda a: a.scatter([1, 2, 3], [4, 2, 1]), "lines", "No line is drawn; one is expected. There is a set of points instead."),
        (CURVE, lambda a: (CURVE(a), CURVE(a)), "lines", "2 lines are drawn; one is expected."),
        (NOTHING, CURVE, "lines", "1 line is drawn; none is expected."),
        (lambda a: a.plot([1, 2], np.eye(2)), lambda a: a.plot([1, 2], [[1, 0], [0, 3]]), "lines", "Line 2 is at y = 3 where x = 2; it should be 1."),
        (lambda a: a.scatter([1, 2], [3, 4]), lambda a: a.scatter([2, 1], [4, 5]), "points", "The set of points is at y = 5 where x = 1; it should be 3."),
        (lambda a: a.bar([1, 2], [3, 4]), lambda a: a.bar([1, 2], [3, 5]), "bars", "The set of bars reaches 5 at 2; it should be 4."),
        (lambda a: a.bar([1, 2], [3, 4]), lambda a: a.barh([1, 2], [3, 4]), "bars", "The set of bars is lying; it should be upright."),
        (lambda a: a.bar([1], [3], bottom=1), lambda a: a.bar([1], [4]), "bars", "The bar at 1 of the set of bars begins at 0; it should begin at 1."),
        (lambda a: a.hist([1, 1, 2], bins=2), lambda a: a.hist([1, 1, 2], bins=3), "bars", "The set of bars has 3 bars; it should have 2."),
        (lambda a: a.imshow([[1, 2, 3]]), lambda a: a.imshow([[1], [2], [3]]), "images", "The image has shape (3, 1); it should have (1, 3). It is transposed."),
        (lambda a: a.imshow([[1, 2], [3, 4]]), lambda a: a.imshow([[3, 4], [1, 2]]), "images", "The image is upside down: its rows are in the reverse order."),
        (lambda a: a.imshow([[1, 2], [3, 4]]), lambda a: a.pcolormesh([[1, 2], [3, 5]]), "images", "The image has 5 at [1, 1]; it should have 4."),
        (lambda a: a.set_title("Loss"), NOTHING, "title", "The plot has no title; it should be 'Loss'."),
        (lambda a: a.set_ylabel("loss"), NOTHING, "ylabel", "The y axis has no label; it should be 'loss'."),
        (lambda a: a.set_xlabel("epoch"), lambda a: a.set_xlabel("time"), "xlabel", "The label of the x axis is 'time'; it should be 'epoch'."),
        (lambda a: (CURVE(a), a.legend()), CURVE, "legend", "There is no legend; it should say 'loss'."),
        (lambda a: (CURVE(a), a.legend()), lambda a: a.plot([1, 2, 3], [4, 2, 1], label="x") and a.legend(), "legend", "The legend says 'x'; it should say 'loss'."),
        (lambda a: a.set_xlim(0, 10), lambda a: a.set_xlim(0, 5), "limits", "The x axis runs from 0 to 5; it should run from 0 to 10."),
        (lambda a: a.set_yscale("log"), NOTHING, "scales", "The scale of the y axis is 'linear'; it should be 'log'."),
        (lambda a: a.plot([1, 2], "--"), lambda a: a.plot([1, 2]), "styles", "Line 1 has the style '-'; it should have '--'."),
        (lambda a: a.plot([1, 2], "o-"), lambda a: a.plot([1, 2]), "styles", "Line 1 has the marker 'None'; it should have 'o'."),
        (lambda a: a.text(1, 2, "peak"), NOTHING, "texts", "The text 'peak' is missing; it should be at (1, 2)."),
        (lambda a: a.text(1, 2, "peak"), lambda a: a.text(1, 3, "peak"), "texts", "The text 'peak' is at (1, 3); it should be at (1, 2)."),
    ],
)  # fmt: skip
def test_each_difference_has_a_sentence(
    right: Draw, drawn: Draw, part: FigurePart, sentence: str
) -> None:
    """It names the drawn and the expected part; the right figure gets no sentence."""
    assert sentence_about(data(right), data(drawn), part) == sentence
    assert not sentence_about(data(right), data(right), *ALL)


def test_what_does_not_count_is_not_compared() -> None:
    """By default data and the labels of the axes; in any order, and labels in any case."""

    def right(axes: Any) -> None:
        axes.plot([1, 2], [3, 4])
        axes.plot([1, 2], [5, 6])
        axes.set_xlabel("epoch")

    def other(axes: Any) -> None:
        axes.plot([1, 2], [5.000001, 6], "r--o", label="b")
        axes.plot([1, 2], [3, 4])
        axes.set(xlabel="Epoch ", title="T", xlim=(0, 9))
        axes.legend()

    assert not sentence_about(data(right), data(other))
    assert sentence_about(data(right), data(other), tolerance=Tolerance(0, 0))


def test_a_plot_is_named_where_there_are_several() -> None:
    """Its number; and a figure with too few is told first."""
    right = data(CURVE, lambda axes: axes.set_xlabel("x"))

    assert sentence_about(right, data(CURVE, CURVE), "xlabel") == (
        "In plot 2: the x axis has no label; it should be 'x'."
    )
    assert sentence_about(right, data(CURVE)) == "The figure has 1 plot; it should have 2."


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.update(x=np.zeros((3, 1))),
        lambda line: line.update(x=np.zeros(2)),
        lambda line: line.update(y=np.array(["a", "b", "c"])),
        lambda line: line.update(label=3),
        lambda line: line.pop("style"),
    ],
)
def test_data_that_no_figure_has_are_no_figure(change: Callable[[dict[str, Any]], object]) -> None:
    """A submission can make its process answer anything."""
    forged = data(CURVE)
    change(forged["axes"][0]["lines"][0])

    assert sentence_about(data(CURVE), forged).startswith("No figure was drawn.")


@pytest.mark.parametrize("forged", [None, 3, "x", [], {}, {"title": "", "axes": 3}])
def test_anything_else_is_no_figure_either(forged: object) -> None:
    """This holds for values of any type."""
    assert sentence_about(data(CURVE), forged) == (
        "No figure was drawn. Draw with matplotlib, and return the figure or its axes."
    )


@pytest.fixture
def exercise() -> Exercise:
    """The example of the documentation."""
    return load_exercise_file(PLOTS / "drawing" / "01-loss-curve.yaml")


@pytest.fixture(scope="module", params=[NAMESPACES, LANDLOCK], ids=lambda backend: backend.name)
def drawing(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox that has matplotlib."""
    backend: Backend = request.param
    (examination,) = examine([backend])
    if not examination.works:
        pytest.skip(f"{backend.name}: {examination.reason}")
    with Sandbox(backend, packages=("matplotlib.pyplot",)) as sandbox:
        yield sandbox


def grade_program(exercise: Exercise, source: str, sandbox: Sandbox) -> Verdict:
    return grade(exercise, Submission(Path("loss-curve.py"), source, "0" * 64), sandbox)


RETURNS = """
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
def plot_loss(losses):
    figure = {figure}
    axes = figure.subplots()
    lines = axes.plot(range(1, len(losses) + 1), losses)
    axes.set(xlabel="epoch", ylabel="loss")
    return {value}
"""


@pytest.mark.slow
def test_a_submission_may_draw_as_it_likes(exercise: Exercise, drawing: Sandbox) -> None:
    """With pyplot or without it; it returns the figure, a part of it, or nothing."""
    for figure, value in (
        ("plt.figure()", "None"),
        ("Figure()", "axes"),
        ("Figure()", "figure, axes"),
        ("Figure()", "lines"),
    ):
        verdict = grade_program(exercise, RETURNS.format(figure=figure, value=value), drawing)
        assert verdict.outcome is Outcome.PASSED, verdict
    assert grade_program(exercise, exercise.solution, drawing).outcome is Outcome.PASSED


@pytest.mark.slow
def test_hidden_figures_are_told_by_a_fixed_sentence(exercise: Exercise, drawing: Sandbox) -> None:
    """A visible one by its data, and a known mistake by its own feedback."""
    (mistake,) = [each for each in exercise.misconceptions if each.id == "from-zero"]
    verdict = grade_program(exercise, mistake.code, drawing)

    visible, hidden = verdict.tests
    assert visible.message == "The line starts at x = 0; it should start at 1."
    assert hidden.message == "The wrong figure was drawn for the inputs of this hidden test."
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.id == "from-zero"
    nothing = grade_program(exercise, "def plot_loss(losses):\n    return losses\n", drawing)
    assert nothing.tests[0].message.startswith("No figure was drawn.")


def test_a_course_must_name_matplotlib(exercise: Exercise, tmp_path: Path) -> None:
    """Else the error says where; nothing of the parts may come twice."""
    text = exercise.where.path.read_text().replace("[lines, xlabel, ylabel]", "[lines, lines]")
    (tmp_path / "01-loss-curve.yaml").write_text(text)

    with pytest.raises(DefinitionError) as caught:
        load_exercise_file(tmp_path / "01-loss-curve.yaml")
    assert "yaml:26:13: figure: nothing can be drawn without matplotlib" in str(caught.value)
    assert "compare: 'lines' is taken" in str(caught.value)


def test_pages_and_students_have_no_figure_to_compare_with(exercise: Exercise) -> None:
    """A page says what it lacks; the student edition counts the tests as left out."""
    assert missing_in_page(exercise, ["matplotlib"]) == ("matplotlib",)
    text = student_text(exercise.where.path)
    assert "hidden_elsewhere: 2" in text
    assert "plot_loss(losses)\n" not in text.partition("tests:")[2]
