"""The figures of lessons: their first state, and the numbers that the page's scripts are held to."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.errors import Location
from grader.lessons.figure import HEADS, PARTS, Figure
from grader.reports.numerals import MINUS
from sitegen.content import TrackLesson
from sitegen.teaching import position_products
from sitegen.teaching.curves import bar_heights, describe_curves, measure_scores
from sitegen.teaching.explorer import describe_row, view_explorer
from sitegen.teaching.model_map import view_map
from sitegen.teaching.selection import view_selection
from sitegen.teaching.stepper import compute_arrays
from sitegen.teaching.toy import attention_weights, features, is_known, toy_data
from tests.sitegen.conftest import Build, Page, lesson_page, make_track

CASES_FILE = Path(__file__).parents[2] / "site" / "frontend" / "tests" / "attention.json"
CASES: dict[str, Any] = json.loads(CASES_FILE.read_text("utf-8"))
CURVES: dict[str, Any] = json.loads((CASES_FILE.parent / "curves.json").read_text("utf-8"))
WHERE = Location(Path("lessons/01-begin.md"))


def explorer(**values: str) -> Figure:
    settings = {"sentence": "the spring dried up", "ask": "dried"} | values
    return Figure(WHERE, "explorer", tuple(settings.items()))


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: " ".join(case["words"]))
def test_the_toy_gives_the_weights_and_sentences_of_the_table(case: dict[str, Any]) -> None:
    """`npm test` holds the page's scripts to the same table, within 1e-6."""
    words, settings = case["words"], case["settings"]
    weights = attention_weights(words, HEADS[case["head"]], **settings)
    mask = settings["mask"]
    rows = [describe_row(words, row, at, mask=mask) for at, row in enumerate(weights)]

    assert np.allclose(weights, case["weights"], rtol=0, atol=1e-9)
    assert [list(row) for row in rows] == case["said"]
    assert [is_known(word) for word in words] == case["known"]


def test_the_table_was_made_with_the_words_of_the_toy() -> None:
    """Else the scripts would be held to numbers of another toy."""
    assert json.loads(json.dumps(toy_data())) == CASES["toy"]


def test_spring_looks_at_what_says_which_spring_it_is() -> None:
    """The word is the same, and the company decides."""
    found = {}
    for last in ("the spring dried up after the hot summer", "the spring of the old clock broke"):
        words = last.split()
        row = attention_weights(words, "meaning")[1]
        found[last] = words[int(row.argmax())]

    assert list(found.values()) == ["dried", "broke"]


def test_the_word_before_looks_back_by_one() -> None:
    """At every place but the first, in the longest sentence too."""
    weights = attention_weights(
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], "the word before"
    )

    assert weights.argmax(axis=-1).tolist()[1:] == list(range(9))


def test_a_word_that_the_toy_does_not_know_has_a_kind_and_no_topic() -> None:
    """The kind is guessed from its ending."""
    topics = features(["zorbing"])[0, :6]

    assert not topics.any()
    assert not is_known("zorbing")
    assert is_known("Spring,")


def test_a_page_has_the_first_state_of_an_explorer_without_scripts(build: Build) -> None:
    """Words with their shares, the sentence, and the table; all from the same weights."""
    page = lesson_page(build, explorer(mask="on"))
    row = attention_weights(["the", "spring", "dried", "up"], HEADS[0], mask=True)[2]

    assert "“dried” looks most at “spring”" in " ".join(page.text.split())
    cells = [each.text.strip() for each in page.all("td")][1:]
    assert cells[8:12] == [*(f"{100 * weight:.0f}" for weight in row[:3]), "masked"]
    assert _has_styles(page)


def _has_styles(page: Page) -> bool:
    return any("assets/figures-" in each.attributes["href"] for each in page.all("link"))


def test_only_pages_with_a_figure_load_its_styles(build: Build) -> None:
    """The others stay as light as they were."""
    assert not _has_styles(lesson_page(build))


def test_the_arcs_of_the_word_that_asks_are_drawn_last() -> None:
    """They lie above the grey ones."""
    arcs = view_explorer(explorer())["arcs"]

    assert [arc.is_asked for arc in arcs] == sorted(arc.is_asked for arc in arcs)


def test_broadcasting_is_a_picture_with_three_sentences(build: Build) -> None:
    """NumPy computes its numbers, radio buttons choose the step, and no script is needed."""
    figure = Figure(WHERE, "broadcasting", ())
    page = lesson_page(build, figure)
    own = [each for each in page.all("input") if each.attributes["name"].startswith("figure-")]

    assert len(own) == 3
    assert "1 1 1 1 2 2 2 2 3 3 3 3" in " ".join(page.text.split())
    assert "10 20 30 40 20 40 60 80 30 60 90 120" in " ".join(page.text.split())
    assert "At the bottom right, 3 times 40 is 120." in page.text
    assert _has_styles(page)


def test_a_selection_shows_what_an_expression_takes_and_gives(build: Build) -> None:
    """NumPy computes both; radio buttons choose the expression, and no script is needed."""
    for of, sentence in (
        (
            "slices",
            "All rows, and one column: axis 1 is gone. The result is 4, 8, 7, of shape (3,).",
        ),
        ("sums", "each beside its own row. The result is 27, 28, 31, of shape (3, 1)."),
        ("places", "The result is 24, 31, 25, of shape (3,)."),
    ):
        figure = Figure(WHERE, "selection", (("of", of),))
        page = lesson_page(build, figure)
        own = [each for each in page.all("input") if each.attributes["name"].startswith("figure-")]

        assert len(own) == 4
        assert sentence in page.text
        assert _has_styles(page)


def test_the_groups_of_a_sum_are_the_numbers_that_are_added() -> None:
    """The columns for axis 0, the rows for axis 1; what is not picked has no group."""
    down, right, *_ = view_selection(Figure(WHERE, "selection", (("of", "sums"),)))["choices"]
    assert [each.group for each in down.cells[:5]] == [0, 1, 2, 3, 0]
    assert [each.group for each in right.cells[:5]] == [0, 0, 0, 0, 1]
    one, *_ = view_selection(Figure(WHERE, "selection", (("of", "slices"),)))["choices"]
    assert [at for at, each in enumerate(one.cells) if each.group is not None] == [6]


def test_the_map_lights_up_the_part_of_its_lesson_and_links_to_the_others(build: Build) -> None:
    """A part that no lesson of the track builds has no link."""
    lessons = {"attention": [_with_map("begin", "softmax"), _with_map("end", "heads, masks")]}
    page = build(make_track(), lessons=lessons)["attention/lessons/end/index.html"]
    parts = {
        " ".join(each.text.split()): each.attributes
        for each in page.all("a")
        if "map-part" in each.attributes.get("class", "")
    }

    assert {name for name, found in parts.items() if "aria-current" in found} == {
        "2 Heads",
        "2 Other masks",
    }
    assert parts["1 Softmax"]["href"].endswith("begin/index.html")
    assert not any("Sampling" in name for name in parts)


def _with_map(name: str, part: str) -> TrackLesson:
    where = Location(Path(f"lessons/01-{name}.md"))
    figure = Figure(where, "map", (("part", part),))
    return TrackLesson(name, f"Lesson {name}", (), where.path, (figure,), figures=(figure,))


def test_every_part_of_the_map_that_can_be_set_is_on_it() -> None:
    """Else an author could light up nothing."""
    figure = Figure(WHERE, "map", (("part", "softmax"),))

    assert tuple(view_map(figure, {})["parts"]) == PARTS


@pytest.mark.parametrize("has_mask", [False, True])
def test_the_steps_of_a_head_give_what_the_formula_gives(has_mask: bool) -> None:
    """With a mask the last word sees as much as without."""
    arrays = compute_arrays(has_mask=has_mask)
    Q, K, V = arrays["Q"], arrays["K"], arrays["V"]
    scores = Q @ K.T / np.sqrt(2)
    seen = np.tril(np.exp(scores)) if has_mask else np.exp(scores)

    assert np.allclose(arrays["O"], seen / seen.sum(axis=1, keepdims=True) @ V)
    assert np.allclose(arrays["A"][-1], compute_arrays(has_mask=False)["A"][-1])


def test_each_step_has_its_shapes_and_its_sums_without_scripts(build: Build) -> None:
    """The step that the author named is chosen."""
    figure = Figure(WHERE, "stepper", (("step", "5"),))
    page = lesson_page(build, figure)
    steps = [each for each in page.all("input") if each.attributes["name"] == "figure-0-step"]
    sums = [each.attributes["data-sum"] for each in page.all("td") if "data-sum" in each.attributes]

    assert [at for at, each in enumerate(steps, start=1) if "checked" in each.attributes] == [5]
    assert len(steps) == 9
    assert "spring, clock: 4.00 · 1.00 = 4.00; the other terms are 0" in sums
    assert f"old, clock: 2.06 + ({MINUS}∞) = {MINUS}∞" in sums
    assert all(shape in page.text for shape in ("(3, 5)", "(5, 2)", "(5, 4)", "(3, 4)"))


@pytest.mark.parametrize("case", CURVES["cases"], ids=lambda case: str(case["setting"]))
def test_scores_and_their_softmax_are_those_of_the_table(case: dict[str, Any]) -> None:
    """`npm test` holds the page's scripts to the same table, within 1e-6."""
    found = measure_scores(**case["setting"])

    assert np.allclose([found.spread, found.peak, found.slope], case["measures"], rtol=0, atol=1e-9)
    assert np.allclose(found.weights[5], case["weights"], rtol=0, atol=1e-9)
    assert np.allclose(bar_heights(found.scores), case["bars"], atol=0.06)
    assert describe_curves(found) == case["said"]


def test_pictures_of_arrays_have_one_scale_and_a_text(build: Build) -> None:
    """For all choices; a picture is a path for each colour, and a curve has round numbers."""
    texts = (("alt", "A <b> step"), ("each", "k = 1, 2"))
    flat, steps = np.zeros((2, 3)), np.array([[0, 4, 4], [0, 0, 2]])
    sides = Figure(
        WHERE, "compare", (*texts, ("left", "a"), ("right", "b")), ((flat, steps), (steps, flat))
    )
    x = np.arange(3)
    curve = Figure(WHERE, "curve", (*texts, ("x", "x"), ("y", "y")), ((x, 10 * x), (x, -x)))
    page = lesson_page(build, sides, curve)

    labels = [e.attributes["aria-label"] for e in page.all("div") if "aria-label" in e.attributes]
    assert labels == ["A <b> step (k = 1)", "A <b> step (k = 2)"] * 2
    cells = [e.attributes for e in page.all("path") if "seq-" in e.attributes.get("class", "")]
    assert [(e["class"], e["d"]) for e in cells[1:4]] == [
        ("seq-0", "M0 0h1v1H0zM0 1h2v1H0z"),
        ("seq-10", "M2 1h1v1H2z"),
        ("seq-20", "M1 0h2v1H1z"),
    ]
    numbers = [each.text for each in page.all("text") if each.attributes.get("class") == "side"]
    assert numbers[: len(numbers) // 2] == ["0", "5", "10", "15", "20"]


def test_scores_spread_by_the_root_of_the_features_until_they_are_divided() -> None:
    """And then a softmax is no longer saturated."""
    raw, scaled = (measure_scores(6, scale=scale, temperature=1.0) for scale in (False, True))

    assert raw.spread == pytest.approx(8, rel=0.1)
    assert scaled.spread == pytest.approx(1, rel=0.1)
    assert describe_curves(raw).startswith("Saturated")
    assert describe_curves(scaled).startswith("In between")


def test_the_curves_are_there_without_scripts(build: Build) -> None:
    """As the author set them, from the scores that the page gets."""
    figure = Figure(WHERE, "curves", (("d_k", "64"),))
    page = lesson_page(build, figure)
    numbers = [each.text for each in page.all("dd")]

    assert f"{measure_scores(6, scale=False, temperature=1.0).spread:.2f}" in numbers
    assert "Saturated: the scores spread by" in page.text
    scores = [each.attributes["data-scores"] for each in page.all("figure")]
    assert scores == [CURVES["scores"]]


@pytest.mark.parametrize("case", CURVES["positions"], ids=lambda case: str(case["position"]))
def test_products_of_positions_are_those_of_the_table(case: dict[str, Any]) -> None:
    """`npm test` holds the page's scripts to the same table, within 1e-6."""
    row = position_products.products(case["position"])

    assert np.allclose(row, case["products"], rtol=0, atol=1e-9)
    assert position_products.describe_products(case["position"], row) == case["said"]


def test_the_products_of_positions_depend_on_their_distance_alone(build: Build) -> None:
    """The sentence of the figure is therefore true of each position."""
    figure = Figure(WHERE, "positions", (("position", "3"),))
    page = lesson_page(build, figure)

    assert np.allclose(position_products.products(3)[:20], position_products.products(13)[10:30])
    assert "Position 3: its product with itself is 8.00" in page.text
