"""Grades from result files: what counts, what is missing, what is late, what is given by hand."""

import csv
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course import grades
from grader.course.feedback_pages import write_pages
from grader.course.roster_file import read_students
from grader.course.schedule import Schedule
from grader.errors import UsageError
from grader.reports import to_html, to_tables
from grader.reports.formats import format_named
from grader.reports.report import Batch
from tests.conftest import Etude

NOON = "2026-12-01T12:00:00+00:00"
Line = Callable[..., dict[str, Any]]


def line(student: str, exercise: str, score: int) -> dict[str, Any]:
    """A result of an exercise with four tests of one point, of which some are passed."""
    tests = [
        {
            "id": f"t{number}", "description": "", "hidden": False,
            "outcome": "passed" if number < score else "failed",
            "points": int(number < score), "max_points": 1, "message": "", "line": None, "output": "",
        }
        for number in range(4)
    ]  # fmt: skip
    return {
        "student": student, "file": f"in/{student}/{exercise}.py", "exercise": exercise,
        "title": exercise, "outcome": "passed" if score == 4 else "failed", "xp": 0,
        "hidden_elsewhere": 0, "message": "", "line": None, "output": "", "tests": tests,
        "sandbox": "namespaces", "exercise_hash": "0" * 64, "submission_hash": "1" * 64,
        "grader_version": "1", "handed_in": NOON,
    }  # fmt: skip


def fault(student: str, exercise: str) -> dict[str, Any]:
    return {
        "student": student, "file": f"in/{student}/{exercise}.py", "exercise": exercise,
        "outcome": "grader fault", "message": "the worker's own words",
    }  # fmt: skip


@pytest.fixture
def results(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: dict[str, Any], name: str = "results.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
        return path

    return write


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def gradebook(batch: Batch) -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_tables.gradebook(batch))))


def test_the_newest_verdict_counts_and_no_fault_replaces_it(results: Callable[..., Path]) -> None:
    """Over several files in the order in which they are named."""
    first = results(line("ada", "one", 1), line("bo", "one", 4), name="a.jsonl")
    second = results(line("ada", "one", 3), fault("bo", "one"), fault("cy", "one"), name="b.jsonl")

    book = gradebook(
        grades.grade_reports(grades.read_results([first, second]), grades.GradingRules())
    )

    assert book == [
        ["student", "one", "total", "of"],
        ["ada", "3", "3", "4"],
        ["bo", "4", "4", "4"],
        ["cy", "", "0", "0"],
    ]


def test_what_was_not_graded_leaves_the_maximum(results: Callable[..., Path]) -> None:
    """Two files of which none counts drop no exercise."""
    two = fault("bo", "one") | {"outcome": "not graded", "message": "There are several files."}
    read = grades.read_results([results(line("ada", "one", 4), two)])

    batch = grades.grade_reports(read, grades.GradingRules())

    assert gradebook(batch)[1:] == [["ada", "4", "4", "4"], ["bo", "0", "0", "4"]]
    assert "There are several files." in to_tables.submissions(batch)


def test_whoever_is_on_the_roster_and_handed_nothing_in_gets_nothing(
    results: Callable[..., Path], table: Callable[..., Path]
) -> None:
    """Students are in the roster's order; who is not on it is named."""
    read = grades.read_results([results(line("ada", "one", 4), line("eve", "two", 2))])
    roster = read_students(table("Student;Name\nzoe;Zoe Z\nada;Ada A\n"))

    batch = grades.grade_reports(read, grades.GradingRules(roster=roster))

    assert gradebook(batch) == [
        ["student", "one", "two", "total", "of"],
        ["zoe", "0", "0", "0", "8"],
        ["ada", "4", "0", "4", "8"],
        ["eve", "0", "2", "2", "8"],
    ]
    assert grades.name_unlisted_students(read, roster) == "eve"
    assert batch.submission_count == 2


@pytest.mark.parametrize(
    ("due", "points"),
    [
        ("2026-12-01T12:00:00+00:00", "4"),
        ("2026-12-01T11:59:59+00:00", "2"),
        ("2026-11-30T11:59:59+00:00", "1"),
        ("2026-12-01T10:00:00-03:00", "4"),
    ],
)
def test_each_day_that_has_begun_costs_a_share(
    results: Callable[..., Path], due: str, points: str
) -> None:
    """Due now is in time, a second later is one day late; time zones count."""
    read = grades.read_results([results(line("ada", "one", 4))])

    batch = grades.grade_reports(
        read, grades.GradingRules(schedule=Schedule.from_options(due, "0.5/day"))
    )

    assert gradebook(batch)[1] == ["ada", points, points, "4"]
    told = to_tables.submissions(batch)
    assert ("late: " in told) == (points != "4")


def test_points_given_by_hand_replace_others_and_name_who_gave_them(
    results: Callable[..., Path], table: Callable[..., Path]
) -> None:
    """Late work, too; for an excused student the maximum is lower."""
    read = grades.read_results([results(line("ada", "one", 1), line("ada", "two", 4))])
    overrides = grades.read_overrides(
        table(
            "student,exercise,points,excused,comment,by\nada,one,2.5,,right idea,Kim\nada,two,,yes,ill,Kim\n"
        )
    )
    schedule = Schedule.from_options("2026-11-01T00:00:00+00:00", "0/day")

    batch = grades.grade_reports(read, grades.GradingRules(schedule=schedule, overrides=overrides))

    assert gradebook(batch)[1] == ["ada", "2.5", "excused", "2.5", "4"]
    for name in ("csv", "junit", "markdown", "plain", "text"):
        assert "by Kim" in format_named(name).render(batch)
    page = to_html.render_batch(batch)
    assert "Counted: 2.5 of 4 points (set by hand by Kim: right idea)." in page
    assert "excused by Kim: ill." in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nada\n", "table.csv:1 has no column 'student'"),
        ("student\nada\nbo\nada\n", "table.csv:4 names 'ada' again, as line 2 does"),
        ("student\n\n", "has no students"),
        ("student,name\n,Ada\n", "table.csv:2 has no name"),
        ("student\nada,1\n", "table.csv:2 has more cells than the heading"),
        ("student\nj\xf6rg\n".encode("latin-1"), "table.csv:2 is not UTF-8"),
    ],
)
def test_a_roster_that_cannot_be_read_is_named_with_its_line(
    table: Callable[..., Path], text: str | bytes, said: str
) -> None:
    """Nothing is guessed about who is in the course."""
    with pytest.raises(UsageError, match=said):
        read_students(table(text))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_roster_of_a_spreadsheet_is_read(table: Callable[..., Path], encoding: str) -> None:
    """With its mark at the beginning, tabs between the columns, and empty rows at the end."""
    for first in ("", "sep=\t\n"):
        text = f"{first}student\tname\nj\xf6rg\tJ\xf6rg, A.\n\t\n \t\n"
        assert read_students(table(text.encode(encoding))) == ("j\xf6rg",)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("ada,one,many,,,", "table.csv:2: points are a number"),
        ("ada,one,-1,,,", "table.csv:2: points are a number"),
        ("ada,one,1,yes,,", "table.csv:2 gives points and excuses"),
        ("ada,one,,maybe,,", "table.csv:2: excused is 'yes' or empty"),
        ("ada,one,,,,", "table.csv:2 gives no points"),
        ("ada,one,1,,,\nada,one,2,,,", "table.csv:3 is about 'ada' and 'one' again"),
        (",one,1,,,", "table.csv:2 needs a student"),
        ("ada,one,5,,,", "table.csv:2 gives 'ada' 5 points in 'one', which has 4"),
        ("eve,one,1,,,", "table.csv:2 names a student 'eve'"),
        ("ada,two,1,,,", "table.csv:2 names an exercise 'two'"),
    ],
)
def test_an_override_that_cannot_be_meant_is_refused(
    results: Callable[..., Path], table: Callable[..., Path], row: str, said: str
) -> None:
    """Before any report is written."""
    path = table(f"student,exercise,points,excused,comment,by\n{row}\n")
    read = grades.read_results([results(line("ada", "one", 1))])
    with pytest.raises(UsageError, match=said):
        grades.grade_reports(read, grades.GradingRules(overrides=grades.read_overrides(path)))


@pytest.mark.parametrize("cut", [1, 2])
def test_a_result_that_is_cut_off_is_named_with_its_line(
    results: Callable[..., Path], cut: int
) -> None:
    """A report does not go on without it; without its line, `etude grade --resume` adds it."""
    path = results(line("ada", "one", 1), line("bo", "one", 1))
    lines = path.read_text().splitlines()
    lines[cut - 1] = lines[cut - 1][:-40]
    path.write_text("\n".join(lines))
    with pytest.raises(UsageError, match=rf"results.jsonl:{cut} is not a whole result .* --resume"):
        grades.read_results([path])


@pytest.mark.parametrize(
    ("due", "late"),
    [
        ("tomorrow", None),
        ("0001-01-01", None),
        ("9999-12-31", None),
        ("2026-12-01", "1.5/day"),
        ("2026-12-01", "0.9"),
    ],
)
def test_a_late_rule_that_cannot_be_read_is_refused(due: str, late: str | None) -> None:
    """With an example of how to write it."""
    with pytest.raises(UsageError, match="as "):
        Schedule.from_options(due, late)


def test_each_student_gets_a_page_of_their_own(
    results: Callable[..., Path], tmp_path: Path
) -> None:
    """With nothing of the others, and no words of a fault."""
    read = grades.read_results(
        [results(line("ada", "one", 1), line("bo", "one", 4), fault("ada", "x"))]
    )

    assert write_pages(grades.grade_reports(read, grades.GradingRules()), tmp_path / "pages") == 2

    pages = {path.name: path.read_text() for path in (tmp_path / "pages").iterdir()}
    assert set(pages) == {"ada.html", "bo.html"}
    assert "bo" not in pages["ada.html"].partition("<body>")[2].split()
    assert "own words" not in pages["ada.html"]
    assert "<h1>Results of ada</h1>" in pages["ada.html"]
    assert "each student" not in pages["ada.html"]
    assert re.search(r'<th scope="row"[^>]*>Total</th><td>1/4</td>', pages["ada.html"])


@pytest.mark.parametrize("name", ["../ada", ".ada", "", "a/b"])
def test_no_page_lands_outside_its_folder(
    results: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    """A result file may come from anywhere."""
    read = grades.read_results([results(line(name, "one", 1))])
    with pytest.raises(UsageError, match="cannot be the name of a page"):
        write_pages(read, tmp_path / "pages")


def test_a_format_without_a_place_for_grades_is_refused(
    etude: Etude, results: Callable[..., Path], table: Callable[..., Path]
) -> None:
    """Rather than to show points that do not count."""
    path, roster = results(line("ada", "one", 1)), table("student\nada\n")
    finished = etude("report", path, "--roster", roster, "--format", "ctrf")
    assert finished.returncode == 2
    assert "--format ctrf has verdicts and no grades; leave --roster out" in finished.stderr
    several = results(line("ada", "one", 1), line("bo", "one", 1))
    finished = etude("report", several, "--format", "gradescope")
    assert (finished.returncode, "shows one student" in finished.stderr) == (2, True)


def test_grading_keeps_the_time_of_the_file(etude: Etude, tmp_path: Path) -> None:
    """A later report of the whole class therefore knows what was late."""
    folder = tmp_path / "in" / "ada"
    folder.mkdir(parents=True)
    file = folder / "token-lookup.py"
    file.write_text("def embed(ids, E):\n    return E[ids]\n")
    os.utime(file, (1_800_000_000, 1_800_000_000))
    results = tmp_path / "results.jsonl"

    etude("grade", str(tmp_path / "in"), "--output", str(results))
    finished = etude(
        "report", str(results), "--format", "csv", "--due", "2027-01-15T07:00:00+00:00",
        "--late", "0.9/day", "--feedback", str(tmp_path / "pages"),
    )  # fmt: skip

    assert json.loads(results.read_text())["handed_in"] == "2027-01-15T08:00:00+00:00"
    assert "1 day late: " in finished.stdout
    assert [path.name for path in (tmp_path / "pages").iterdir()] == ["ada.html"]


def test_a_clone_has_no_time_but_that_of_a_table(
    etude: Etude, results: Callable[..., Path], tmp_path: Path
) -> None:
    """Its own dates are refused; students of a table who are not in the results are named."""
    (tmp_path / "in" / "ada" / ".git").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "token-lookup.py").write_text("def token_lookup(ids, E): ...\n")
    path, times = tmp_path / "clone.jsonl", tmp_path / "in" / "times.csv"
    etude("grade", tmp_path / "in", "--output", path)
    record = json.loads(path.read_text())
    assert (record.get("handed_in"), record["time_from"]) == (None, "git clone")
    times.write_text("student,time\nada,2026-12-01T10:00Z\n")
    path.unlink()
    etude("grade", tmp_path / "in", "--output", path)
    assert json.loads(path.read_text())["handed_in"] == "2026-12-01T10:00:00+00:00"

    clone = {"time_from": "git clone", "handed_in": None}
    due = ("--due", "2026-12-01T09:00Z", "--late", "0.5/day", "--format", "csv")
    of_clone = results(line("ada", "one", 4) | clone)
    finished = etude("report", of_clone, *due)
    assert (finished.returncode, "is unknown; give the times with" in finished.stderr) == (2, True)
    times.write_text("student,time\nada,2026-12-01T10:00Z\nbob,2026-12-01T10:00Z\n")
    finished = etude("report", of_clone, *due, "--times", times)
    assert "1 day late: 4 points were earned" in finished.stdout
    assert "--times is also about bob" in finished.stderr


BOOK = """\
Student,ID,SIS Login ID,Section,Week 1 (7)
    Points Possible,,,,8
"Lovelace, Ada",1,ada,A,
"Babbage, Bo",2,bo,A,
"Yu, Cy",3,cy,A,
"Roe, Dee",4,dee,A,
"""
OVERRIDES = "student,exercise,excused,points\ncy,one,yes,\ncy,two,yes,\nbo,one,,3.5\n"


def test_gradebooks_have_what_a_report_has(
    etude: Etude, results: Callable[..., Path], table: Callable[..., Path]
) -> None:
    """Canvas and Moodle: missing work, late work, points given by hand, and who is excused."""
    early = {"handed_in": "2026-12-01T11:00:00+00:00"}
    results(line("ada", "one", 4), line("ada", "two", 2), line("bo", "one", 1) | early)
    table("student\nada\nbo\ncy\ndee\n", "roster.csv")
    table(OVERRIDES, "overrides.csv")
    table(BOOK, "book.csv")
    rules = ("--roster", "roster.csv", "--due", "2026-12-01T10:00+00:00", "--late", "0.5/day",
             "--overrides", "overrides.csv", "--output", "out.csv")  # fmt: skip
    wanted = ("--column", "Week 1", "--exercise", "one", "--exercise", "two")

    finished = etude("export", "canvas", "book.csv", "results.jsonl", *wanted, *rules)
    assert finished.returncode == 0, finished.stderr
    rows = list(csv.reader(table("", "x").with_name("out.csv").read_text().splitlines()))
    assert [row[-1] for row in rows[2:]] == ["3", "3.5", "EX", "0"]
    table("student,id\nada,1\nbo,2\ncy,3\ndee,4\n", "roster.csv")
    filled = table("", "x").with_name("out.csv").read_text()
    finished = etude(
        "export", "canvas", "book.csv", "results.jsonl", *wanted, *rules, "--match", "ID"
    )
    assert (finished.returncode, table("", "x").with_name("out.csv").read_text()) == (0, filled)

    finished = etude("report", "results.jsonl", *rules[:-2], "--format", "moodle=out.csv")
    assert finished.returncode == 0, finished.stderr
    moodle = table("", "x").with_name("out.csv").read_text().splitlines()
    assert moodle == ["username,one,two", "ada,2,1", "bo,3.5,0", "cy,,", "dee,0,0"]
    for read in ("results.jsonl", "roster.csv"):
        words = ("--roster", "roster.csv", "--format", f"moodle={read}")
        finished = etude("report", "results.jsonl", *words)
        assert (finished.returncode, f"{read} is what is read" in finished.stderr) == (2, True)


def test_of_two_files_the_newer_counts_in_any_order_of_lines(results: Callable[..., Path]) -> None:
    """The order of grading decides nothing; equal dates are refused with both names."""
    old = line("ada", "one", 1) | {
        "file": "in/ada/One.py",
        "handed_in": "2026-11-30T12:00:00+00:00",
    }
    new = line("ada", "one", 4) | {"submission_hash": "2" * 64}
    for lines in ((old, new), (new, old)):
        (report,) = grades.read_results([results(*lines)])
        assert (report.file, report.points) == ("in/ada/one.py", 4)
    for lines in ((old | {"handed_in": NOON}, new), (new, old | {"handed_in": NOON})):
        with pytest.raises(
            UsageError, match=r"'ada' has several results of 'one': neither date"
        ) as e:
            grades.read_results([results(*lines)])
        assert "in/ada/One.py" in str(e.value)
        assert "in/ada/one.py" in str(e.value)


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;\r"])
def test_a_roster_may_name_its_separator(table: Callable[..., Path], first: str) -> None:
    """As spreadsheets do; errors still name the line of the file."""
    assert read_students(table(f"{first}\nstudent;id\nada;1\n")) == ("ada",)
    with pytest.raises(UsageError, match=r"table.csv:4 names 'ada' again, as line 3 does"):
        read_students(table(f"{first}\nstudent;id\nada;1\nada;2\n"))
    with pytest.raises(UsageError, match=r"table.csv:2 has no column 'student'"):
        read_students(table(f"{first}\nname\nada\n"))


def test_utf_16_without_its_mark_is_refused_with_advice(table: Callable[..., Path]) -> None:
    """It would be read as text with NULs."""
    with pytest.raises(UsageError, match=r"table.csv:1 is not UTF-8; .* 'CSV UTF-8'"):
        read_students(table("student\nada\n".encode("utf-16-le")))


def test_a_student_whose_zeros_are_lost_is_no_other_student(
    results: Callable[..., Path], table: Callable[..., Path]
) -> None:
    """Two lines that do not meet would give one of them nothing."""
    read = grades.read_results([results(line("0012345", "one", 4))])
    roster = read_students(table("student\n12345\n"))
    with pytest.raises(UsageError, match=r"'0012345' and the roster about '12345': .* as text"):
        grades.grade_reports(read, grades.GradingRules(roster=roster))
