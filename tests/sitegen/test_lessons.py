"""Lessons: their pages, their places in a track, and the numbers of what their cells show."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from grader.definitions.exercise import ExerciseId
from grader.disk_cache import Cache
from grader.errors import DefinitionError
from grader.lessons.blocks import BreakTask, Cell, Exercises, PlotDisplay
from sitegen.cell_displays import view_matrix
from sitegen.from_collection.builder import ContentBuilder
from sitegen.lesson_notebooks import lesson_notebook
from tests.browser.tools import write_lessons
from tests.sitegen.conftest import (
    LESSON_PAGE,
    WHERE,
    Build,
    Page,
    Site,
    lesson_page,
    make_exercise,
    make_lesson,
    make_prose,
    make_shown,
    make_track,
)

BEGIN, END = "course/lessons/begin/index.html", "course/lessons/end/index.html"


def words(text: str) -> str:
    return " ".join(text.split())


def links(page: Page) -> dict[str, str]:
    return {words(each.text): each.attributes["href"] for each in page.all("a")}


def tasks(page: Page) -> list[str]:
    return [words(each.text) for each in page.all("p") if "task-title" in classes(each.attributes)]


def classes(attributes: dict[str, str]) -> list[str]:
    return attributes.get("class", "").split()


def test_a_lesson_shows_its_blocks_in_their_order(site: Site) -> None:
    """Text, code, what it printed, a matrix, an exercise, text, another matrix.

    The heading is the title that the track gives, so the one that the text begins with is left out.
    A hidden cell shows no code. Exercises that the text gives no place come at the end.
    """
    page = site[BEGIN]
    text = words(page.one("main").text)
    parts = (
        *("A text with", "Part", "Detail", "print(1)", "Prints: 1", "Weights"),
        *("Your turn", "Title of two", "After it.", "13"),
    )
    places = [text.index(part) for part in parts]

    assert places == sorted(places)
    assert page.one("h1").text == "Lesson begin"
    assert "Another title" not in page.text
    assert [each.text for each in page.all("h2") if "main" in each.within] == ["Part"]
    assert "table(numbers)" not in page.text
    assert tasks(page) == ["Title of two", "Title of one"]
    assert [each.attributes["id"] for each in page.all("li") if "id" in each.attributes] == [
        "exercise-two",
        "exercise-one",
    ]


def test_a_hidden_cell_without_output_leaves_nothing(build: Build) -> None:
    """There is no empty box."""
    page = lesson_page(build, Cell(WHERE, "import numpy", hidden=True))

    assert not [each for each in page.all("div") if "cell" in classes(each.attributes)]


def test_matrices_have_labels_colours_and_boxes_of_their_own(site: Site) -> None:
    """In a heatmap zero is plain and nan has a look of its own; a table has no colours.

    A box that is wider than a phone takes the focus.
    """
    page = site[BEGIN]
    heads = [(each.attributes["scope"], each.text) for each in page.all("th")][:4]
    cells = [(each.text, each.attributes.get("class")) for each in page.all("td") if each.text][:4]
    boxes = [each for each in page.all("div") if "scroll" in classes(each.attributes)]

    assert page.all("figcaption")[0].text == "Weights"
    assert heads == [("col", "the"), ("col", "cat"), ("row", "the"), ("row", "cat")]
    assert cells == [("1.00", "seq-20"), ("0", "seq-0"), ("0.25", "seq-5"), ("nan", "not-finite")]
    assert {"ruled", "dense"} <= set(classes(page.all("table")[-1].attributes))
    assert [each.attributes.get("tabindex") for each in boxes] == [None, "0"]


def test_an_exercise_has_one_place_in_a_lesson(build: Build) -> None:
    """Asked for twice it is shown once, so that its link means one place."""
    place = Exercises(WHERE, (ExerciseId("weights"), ExerciseId("weights")))
    page = lesson_page(build, place, exercises=("weights",))

    assert tasks(page) == ["Title of weights"]


def test_an_error_in_a_lesson_names_its_file(build: Build) -> None:
    """And the line of a formula, also below a heading that is left out, further down in the file."""
    lost = Exercises(WHERE, (ExerciseId("lost"),))
    prose = make_prose("# Title\n\nText, then $\\foo$.\n", line=10)

    for block, message in (
        (lost, r"lessons/01-begin.md:1:1: no exercise 'lost' in this track"),
        (prose, r"lessons/01-begin.md:12:13: "),
    ):
        with pytest.raises(DefinitionError, match=message):
            lesson_page(build, block)


def test_lessons_and_exercises_lead_to_each_other(site: Site) -> None:
    """The next lesson comes before its first exercise, so that no one passes it by.

    An exercise leads back to its place in the lesson, from its head and from its end.
    """
    first, last = links(site[BEGIN]), links(site[END])
    names = ("one", "two", "three", "loose")
    one, two, three, loose = (links(site[f"course/{name}/index.html"]) for name in names)

    assert first["Lesson 1 of 2"] == "index.html"
    assert first["Course"] == "../../index.html"
    assert first["Title of two"] == "../../two/index.html"
    assert first["Next Lesson end"] == "../end/index.html"
    assert last["Previous Lesson begin"] == "../begin/index.html"
    assert last["End of the track Course"] == "../../index.html"
    assert not any(text.startswith("Previous") for text in first)
    assert one["Next Title of two"] == "../two/index.html"
    assert two["Next lesson Lesson end"] == "../lessons/end/index.html"
    assert three["Next Title of loose"] == "../loose/index.html"
    assert two["Lesson begin"] == "../lessons/begin/index.html#exercise-two"
    assert two["Back to the lesson Lesson begin"] == "../lessons/begin/index.html#exercise-two"
    assert not any("Back to" in text for text in loose)


def test_the_side_shows_the_exercises_of_the_open_lesson_only(site: Site) -> None:
    """All lessons are there; those of other lessons stay folded."""
    side = [words(each.text) for each in site["course/two/index.html"].all("aside")]
    loose = [words(each.text) for each in site["course/loose/index.html"].all("aside")]

    head = "Close the contents Course 0 of 4 passed"
    lessons = "1 Lesson begin Title of one 15 XP Title of two 15 XP 2 Lesson end"
    assert side == [f"{head} {lessons}"]
    assert loose == [f"{head} 1 Lesson begin 2 Lesson end More exercises Title of loose 15 XP"]


def test_the_track_is_a_map_of_lessons_and_exercises(site: Site) -> None:
    """Each lesson with its exercises, then those in no lesson, and the total."""
    page = site["course/index.html"]

    assert [each.text for each in page.all("h3")] == ["Lesson begin", "Lesson end"]
    assert [each.text for each in page.all("h2")][-1] == "More exercises"
    assert tasks(page) == [f"Title of {name}" for name in ("one", "two", "three", "loose")]
    assert words(page.all("header")[1].text).endswith(
        "2 lessons 4 exercises about 32 min 60 XP in total"
    )
    assert links(page)["Lesson begin"] == "lessons/begin/index.html"


def test_the_index_counts_and_lists_the_lessons(site: Site) -> None:
    """A track that has lessons is told by them; its exercises are marks that lead to them."""
    (card,) = [each for each in site["index.html"].all("article") if "Course" in each.text]

    assert "2 lessons 4 exercises about 32 min 60 XP" in words(card.text)
    assert links(site["index.html"])["Lesson end"] == "course/lessons/end/index.html"
    assert links(site["index.html"])["Title of one"] == "course/one/index.html"


def test_code_that_solves_an_exercise_of_the_lesson_is_folded(build: Build) -> None:
    """A cell that defines what a submission must define; others are open."""
    cells = [Cell(WHERE, code, hidden=False) for code in ("def f(): 1", "f = 1")]
    lessons = {"attention": [make_lesson("begin", *cells, exercises=("one",))]}
    page = build(make_track(make_exercise("one", defines=("f",))), lessons=lessons)
    (spoiler,) = page[LESSON_PAGE].all("details", class_="spoiler")
    assert spoiler.attributes["data-solves"] == "one"
    assert "def f" in spoiler.text


def test_a_derivation_is_folded(build: Build) -> None:
    """Text and code, below a title, in the page and in the notebook."""
    prose = [make_prose("# Begin"), replace(make_prose("It is *so*."), title="Why $e < 3$?")]
    code = Cell(WHERE, "x = 1\n", hidden=False, title="The *way* back")
    lesson = make_lesson("begin", *prose, code)
    page = build(make_track(), lessons={"attention": [lesson]})[LESSON_PAGE]
    assert "The way back" in words(page.one("details", class_="spoiler").text)
    assert "It is so" in page.one("details", class_="card spoiler").text
    assert page.all("math")
    book = json.loads(lesson_notebook(lesson, {}))
    assert any("</summary>\n\nIt is *so*.\n\n" in "".join(each["source"]) for each in book["cells"])


def test_markup_in_a_lesson_stays_text(build: Build) -> None:
    """In prose, code, what is printed, titles and labels."""
    text = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
    shown = make_shown([[1.0]], title=text, rows=(text,), columns=(text,))
    cell = Cell(WHERE, text, hidden=False, printed=text, displays=(shown,))
    page = lesson_page(build, make_prose(text), cell)

    assert page.text.count(text) == 6
    assert not page.all("img")
    assert all(not each.text or "<" not in each.text for each in page.all("script"))


@pytest.mark.parametrize("name", ["..", "A", "a/b"])
def test_a_lesson_s_id_must_be_a_folder_s_name(build: Build, name: str) -> None:
    """As that of an exercise, and an exercise cannot take the folder of the lessons."""
    with pytest.raises(DefinitionError, match="cannot be the folder of a page"):
        build(make_track(), lessons={"attention": [make_lesson(name)]})


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("heatmap", [[0.4977, 1e-9, 1.0]], ["0.50", "0.00", "1.00"]),
        ("heatmap", [[0.0123, -0.05, 0.0]], ["0.0123", "\N{MINUS SIGN}0.0500", "0"]),
        ("heatmap", [[0.5, 0.0, 1.0]], ["0.5", "0", "1.0"]),
        ("heatmap", [[-math.inf, math.nan, -3.0]], ["\N{MINUS SIGN}∞", "nan", "\N{MINUS SIGN}3"]),
        ("table", [[0.25, 1.28e-4]], ["0.25", "1.28e\N{MINUS SIGN}04"]),
        ("table", [[260.2703, 0.99081]], ["260.2703", "0.9908"]),
        ("table", [[1e6, 123456.75]], ["1000000", "1.23e+05"]),
        ("table", [[-0.0, -math.inf]], ["0", "\N{MINUS SIGN}∞"]),
    ],
)
def test_numbers_of_a_figure(kind: str, values: list[list[float]], expected: list[str]) -> None:
    """A heatmap's are short, a table's as exact as needed; zero is told from what is nearly so."""
    table = view_matrix(make_shown(values, kind=kind)).table

    assert [cell.text for cell in table.rows[0]] == expected


def test_the_columns_of_a_table_have_their_own_decimals() -> None:
    """Each is of another quantity."""
    table = view_matrix(make_shown([[0.5, 0.123], [2.0, 7.5]], kind="table")).table

    assert [[cell.text for cell in row] for row in table.rows] == [
        ["0.5", "0.123"],
        ["2.0", "7.500"],
    ]


def test_a_large_heatmap_is_shown_whole_and_smaller() -> None:
    """An author asked for it, so nothing is left out; its indices are its labels."""
    table = view_matrix(make_shown([[0.5] * 64] * 33)).table

    assert (len(table.rows), len(table.columns)) == (33, 64)
    assert table.is_dense
    assert (table.labels[-1], table.columns[-1]) == ("32", "63")


def test_home_offers_the_warm_up_to_beginners(build: Build) -> None:
    """Unless it is the first track anyway; it leads to the first lesson, and says how long it takes."""
    main = make_track(make_exercise("weights"))
    warm_up = make_track(make_exercise("sums"), id="numpy-warmup", title="Warm-up")
    lesson = replace(make_lesson("shapes", exercises=("sums",)), minutes=12)
    lessons = {"numpy-warmup": [lesson]}
    page = build(main, warm_up, lessons=lessons, warm_up="numpy-warmup")["index.html"]

    assert "New to NumPy?" in page.text
    assert "“Warm-up”, about 20 min" in page.text
    assert links(page)["Warm up"] == "numpy-warmup/lessons/shapes/index.html"
    site = build(warm_up, main, lessons=lessons, warm_up="numpy-warmup")
    assert "New to NumPy?" not in site["index.html"].text


def test_a_lesson_says_how_long_it_takes(build: Build) -> None:
    """To read, and to solve its exercises."""
    lessons = {"attention": [replace(make_lesson("begin", exercises=("weights",)), minutes=12)]}
    site = build(make_track(make_exercise()), lessons=lessons)

    assert "12 min to read 1 exercise, about 8 min" in words(site[LESSON_PAGE].text)
    assert "12 min to read" in site["attention/index.html"].text


def test_a_plot_is_part_of_the_page(build: Build) -> None:
    """With a name for screen readers, ids of its own, and a word about cells that cannot run."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path id="a" d="M 0 0"/></svg>'
    shown = (PlotDisplay("Loss", "A line", svg), PlotDisplay("", "A line", svg))
    cell = Cell(WHERE, "plot('A line')", hidden=False, displays=shown)
    lesson = replace(make_lesson("begin", cell), needs=("seaborn",), packages=("matplotlib",))

    page = build(make_track(), lessons={"attention": [lesson]})[LESSON_PAGE]

    plots = [each for each in page.all("svg") if each.attributes.get("aria-label") == "A line"]
    assert [each.attributes["role"] for each in plots] == ["img", "img"]
    ids = [each.attributes["id"] for each in page.all("path") if "id" in each.attributes]
    assert ids == ["plot-0-0-a", "plot-0-1-a"]
    assert "It has no seaborn, so cells that import it cannot run there." in words(page.text)
    assert page.all("html")[0].attributes["data-packages"] == "matplotlib"


def test_a_wrong_program_is_on_a_page_for_practice_alone(tmp_path: Path) -> None:
    """A certified site has none; an unknown exercise is an error with its line."""
    folder = write_lessons(tmp_path, kept=slice(2))
    cache = Cache(tmp_path / "cache", "")
    for certified in (False, True):
        with ContentBuilder(certified=certified, cache=cache) as builder:
            blocks = builder.build_collection(folder).lessons["attention"][1].blocks
            codes = [each.code for each in blocks if isinstance(each, BreakTask)]
        assert ["Q @ K.T" in code for code in codes] == [True] * (not certified)
    (path,) = folder.glob("attention/lessons/02-*.md")
    text = path.read_text("utf-8").replace("similarity-scores all-axes", "similarity-scores axes")
    path.write_text(text, "utf-8")
    line = text.partition("```break")[0].count("\n") + 1
    with ContentBuilder(cache=cache) as builder, pytest.raises(DefinitionError) as raised:
        builder.build_collection(folder)
    (problem,) = raised.value.problems
    assert (problem.where.path.name, problem.where.line) == (path.name, line)
    assert "no misconception 'axes-reversed' to break" in problem.message
