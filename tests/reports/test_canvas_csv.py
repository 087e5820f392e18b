"""Grades on their way into a gradebook that Canvas exported, and back."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from grader.errors import UsageError
from grader.reports.canvas_csv import FilledGradebook, fill, sum_scores
from grader.reports.report import Batch, CourseGrade, Report
from tests.reports.conftest import failed, report_of

EXPORT = """\
Student,ID,SIS User ID,SIS Login ID,Section,Attention (4711),Essay (4712),Current Score,Final Score
,,,,,Manual Posting,,,
    Points Possible,,,,,10,20,(read only),(read only)
"Byron, Ada",1,S1,ada,CS 101,,18,90,45
"Moss, Bob",2,S2,Bob,CS 101,3,,30,15
"Roe, Cy",3,S3,cy,CS 101,EX,,,
"Poe, Dee",4,S4,dee,CS 101,7,,,
"Student, Test",99,,abc,CS 101,1,,,
"""


def filled(export: str = EXPORT, **more: Any) -> FilledGradebook:
    how = {"scores": {"ada": (10, 10), "bob": (4, 10)}, "column": "Attention", **more}
    return fill(export, **how)


def cells(text: str, column: str = "Attention (4711)", delimiter: str = ",") -> list[str]:
    return [row[column] for row in csv.DictReader(io.StringIO(text), delimiter=delimiter)]


def test_only_the_cells_of_graded_students_change() -> None:
    """Headings, the row of points, other columns and other students stay as they are."""
    finished = filled()
    assert cells(finished.text) == ["Manual Posting", "10", "10", "4", "EX", "7", "1"]
    before, after = EXPORT.splitlines(), finished.text.splitlines()
    assert [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [
        3,
        4,
    ]
    assert (finished.column, finished.graded) == ("Attention (4711)", 2)
    assert (finished.without_result, finished.left_alone) == (("dee",), ("cy",))
    assert cells(filled(scores={"cy": (10, 10)}).text)[4] == "EX"  # the excused stay excused


def test_whoever_is_not_in_the_gradebook_stops_it() -> None:
    """Unless they are to be left out; then they are named."""
    scores = {"ada": (10, 10), "eve": (10, 10)}
    with pytest.raises(UsageError, match="'eve'"):
        filled(scores=scores)
    assert filled(scores=scores, skip_unknown=True).unknown == ("eve",)


def test_another_column_can_tell_students_apart() -> None:
    """By number, or by the name in the SIS."""
    assert filled(scores={"2": (4, 10)}, identity="ID").graded == 1
    assert filled(scores={"S2": (4, 10)}, identity="SIS User ID").graded == 1


def test_points_are_converted_only_on_demand() -> None:
    """13 points here and 10 there: a mistake, or a scale."""
    with pytest.raises(UsageError, match="10 points in Canvas and 13 here"):
        filled(scores={"ada": (6, 13)})
    assert cells(filled(scores={"ada": (6, 13)}, scale=True).text)[2] == "4.62"


@pytest.mark.parametrize("points", ["\u00b2", "1" * 40, "", "read", "-5", "1e9"])
def test_points_that_are_none_are_passed_over(points: str) -> None:
    """The grades are those of the exercise, whatever stands there."""
    export = EXPORT.replace(",,,,,10,", f",,,,,{points},")
    assert cells(filled(export).text)[2:4] == ["10", "4"]


def test_a_title_that_stands_twice_needs_its_number() -> None:
    """Canvas tells assignments apart by it."""
    export = EXPORT.replace("Essay", "Attention")
    with pytest.raises(UsageError, match="add the number"):
        filled(export)
    assert filled(export, column="Attention (4711)").graded == 2


LOST = "took leading zeros away; export the gradebook again"
ALL = (10, 10)


@pytest.mark.parametrize(
    ("export", "how", "message"),
    [
        (EXPORT, {"column": "Atention"}, "no column 'Atention'; it has 'Attention"),
        (EXPORT, {"column": "Final Score"}, "not a column of an assignment"),
        (EXPORT, {"column": "Section"}, "not a column of an assignment"),
        (EXPORT, {"identity": "Login"}, "no column 'Login'"),
        (EXPORT.replace("dee", "ADA"), {}, "two students"),
        (EXPORT, {"scores": {"ada": ALL, "Ada": ALL}}, "twice"),
        # In the gradebook or in the results; also if the unknown are left out.
        (EXPORT.replace("ada", "12345"), {"scores": {"0012345": ALL}, "skip_unknown": True}, LOST),
        (EXPORT.replace("ada", "0012345"), {"scores": {"12345": ALL}, "skip_unknown": True}, LOST),
        # Only the case of ASCII letters does not count.
        *(
            (EXPORT.replace("dee", name.casefold()), {"scores": {name: ALL}}, "not in the column")
            for name in ("\u017fmith", "\u212aim", "stra\u00dfe")
        ),
        ("student,file\nada,x\n", {}, "not a gradebook"),
        ("", {}, "not a gradebook"),
    ],
)
def test_what_cannot_be_filled_is_refused(export: str, how: dict[str, Any], message: str) -> None:
    """No one gets the points of another."""
    with pytest.raises(UsageError, match=message):
        filled(export, **how)


def test_semicolons_commas_and_the_byte_order_mark_come_back() -> None:
    """As Canvas writes them for people whose spreadsheets want them."""
    export = "\ufeff" + EXPORT.replace(",", ";").replace("; ", ", ").replace(
        ";10;20;", ";10,00;20,00;"
    )
    finished = filled(export, scores={"ada": (5, 20)}, scale=True)
    assert finished.text.startswith("\ufeffStudent;ID")
    assert cells(finished.text.removeprefix("\ufeff"), delimiter=";")[2] == "2,5"


def test_line_ends_come_back() -> None:
    """Windows' and ours."""
    assert filled(EXPORT.replace("\n", "\r\n")).text.count("\r\n") == EXPORT.count("\n")
    assert "\r" not in filled().text


def report(student: str, points: float | None, exercise: str = "a", most: int = 10) -> Report:
    grade = CourseGrade(points, most, is_excused=most == 0)
    return Report(exercise, "", "", student=student, grade=grade)


def scores(*reports: Report, exercises: Sequence[str] = ()) -> dict[str, tuple[float, int] | None]:
    return sum_scores(Batch(reports), exercises)


def test_no_grade_is_no_score() -> None:
    """Neither a fault nor a verdict without a sandbox counts as zero."""
    assert scores(report("ada", 1), report("bob", None)) == {"ada": (1, 10)}
    ada, cy = (report_of((failed("t", ""),), student=name) for name in ("ada", "cy"))
    assert cy.verdict is not None
    unsafe = replace(cy, verdict=replace(cy.verdict, sandbox="none"))
    assert scores(ada, unsafe) == {"ada": (0, 1)}


def test_several_exercises_are_added_up() -> None:
    """One not submitted counts nothing, an excuse leaves the share of the rest, a fault no score."""
    of_class = (
        report("ada", 1), report("ada", 2.5, "b"),
        report("bob", 3),
        report("cy", 4), report("cy", None, "b"),
        report("dee", 5), report("dee", None, "b", most=0),
        report("eve", None, most=0), report("eve", None, "b", most=0),
    )  # fmt: skip
    found = scores(*of_class, exercises=["a", "b"])
    assert found == {"ada": (3.5, 20), "bob": (3, 20), "dee": (10, 20), "eve": None}
    with pytest.raises(UsageError, match="say with --exercise"):
        scores(*of_class)
    with pytest.raises(UsageError, match="no verdict on z"):
        scores(*of_class, exercises=["z"])
    with pytest.raises(UsageError, match="no verdict in the results"):
        scores()


def test_who_is_excused_is_excused_in_canvas() -> None:
    """As Canvas writes it; parts of points are written too."""
    finished = filled(scores={"ada": None, "bob": (4.5, 10)})
    assert cells(finished.text)[2:4] == ["EX", "4.5"]
