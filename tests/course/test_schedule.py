"""Due dates, extensions and late work: one schedule, and times that are known or refused."""

import csv
import datetime as dt
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course.grades import GradingRules, grade_reports, read_results
from grader.course.late_rules import LateRule
from grader.course.schedule import Schedule, Window, parse_zoned_time, read_schedule
from grader.course.times_file import read_times
from grader.errors import DefinitionError, UsageError
from grader.reports import to_tables
from grader.reports.report import Batch
from tests.conftest import Etude
from tests.course.test_grades import line

TRACKS = {"week": ["one", "two"], "more": ["three"]}
TEXT = """\
all: {late: 0.5/day, grace: 15 min}
tracks:
  week: {due: 2026-12-01 18:00 Europe/Zurich, late_days: 3}
exercises:
  two: {due: 2026-12-02T18:00-05:00, at_least: 0.4}
extensions:
  ada: {all: 2026-12-05T00:00Z, two: 2026-12-09 00:00 Asia/Tokyo}
"""
DUE = dt.datetime(2026, 12, 1, 17, tzinfo=dt.UTC).timestamp()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def batch_of(tmp_path: Path, *lines: dict[str, Any]) -> Batch:
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return read_results([path])


def at(text: str, source: str = "file") -> dict[str, Any]:
    return {"handed_in": text, "time_from": source}


@pytest.mark.parametrize(
    ("hours", "days", "share"),
    [
        (-1, 0, 1), (0, 0, 1), (0.25, 0, 1), (0.26, 1, 0.5), (24, 1, 0.5), (24.1, 2, 0.25),
        (48.1, 3, 0.2), (72.1, 4, 0),
    ],
)  # fmt: skip
def test_a_rule_has_grace_a_floor_and_an_end(hours: float, days: int, share: float) -> None:
    """Days count from the due date, also behind the grace; behind the last day nothing is left."""
    rule = LateRule(DUE, daily_factor=0.5, grace_seconds=900, max_late_days=3, min_share=0.2)
    assert rule.count_late_days(DUE + hours * 3600) == days
    assert rule.compute_share(days) == share
    assert LateRule(daily_factor=0.5).count_late_days(DUE) == 0


def test_a_schedule_is_of_exercises_and_students(write: Callable[[str, str], Path]) -> None:
    """In three time zones; an extension moves the due date alone."""
    schedule = read_schedule(write("schedule.yaml", TEXT), TRACKS)
    assert schedule.find_window("bo", "one") == Window(DUE, 0.5, 900, 3, 0)
    zone = dt.timezone(-dt.timedelta(hours=5))
    two = dt.datetime(2026, 12, 2, 18, tzinfo=zone).timestamp()
    assert schedule.find_window("bo", "two") == Window(two, 0.5, 900, 3, 0.4)
    assert schedule.find_window("bo", "three").due is None
    own = schedule.find_window("ada", "one")
    assert own == Window(dt.datetime(2026, 12, 5, tzinfo=dt.UTC).timestamp(), 0.5, 900, 3, 0)
    assert (
        schedule.find_window("ada", "two").due == parse_zoned_time("2026-12-08T15:00Z").timestamp()
    )
    assert schedule.find_window("ada", "three").due is None


def test_all_is_for_exercises_of_other_collections_too(
    write: Callable[[str, str], Path],
) -> None:
    """A schedule that does not lie beside its tracks has their late rule all the same."""
    text = "all: {due: 2026-12-01T18:00+01:00, late: 0.5/day}\n"
    schedule = read_schedule(write("schedule.yaml", text), TRACKS)
    assert schedule.find_window("bo", "of another collection") == Window(DUE, 0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "all: {due: 2026-12-01T18:00}",
            "1:12: due: '2026-12-01T18:00' does not say its time zone",
        ),
        ("all: {grace: 15}", "1:14: grace: write minutes or hours, as 15 min"),
        ("all: {at_least: 2}", "1:17: at_least: write a share"),
        ("all: {late_days: 0}", "1:18: late_days: write a whole number"),
        ("extensions: {ada: {four: 2026-12-01T18:00Z}}", "1:20: 'four' is none of all, one, two"),
        ("extensions: {ada: 2026-12-01T18:00Z}", "1:19: write keys and values here"),
        ("all: {due: 2026-10-25 02:30 Europe/Zurich}", "comes twice or never"),
        ("all: {due: 2027-03-28 02:30 Europe/Zurich}", "comes twice or never"),
        ("all: {due: 2026-10-25 02:30 Europe/Nowhere}", "'Europe/Nowhere' is not a time zone"),
    ],
)
def test_a_schedule_that_cannot_be_meant_is_refused(
    write: Callable[[str, str], Path], text: str, said: str
) -> None:
    """The error has its place; an hour that clocks skip or repeat is invalid."""
    with pytest.raises(DefinitionError, match=re.escape(said)):
        read_schedule(write("schedule.yaml", text), TRACKS)


def test_one_time_for_all_is_refused(tmp_path: Path, write: Callable[[str, str], Path]) -> None:
    """A single time is that of a clone; a table of times has one for each student."""
    now = at("2026-12-02T12:00:00+00:00")
    lines = [line(student, "one", 4) | now for student in ("ada", "bo", "cy")]
    batch = batch_of(tmp_path, *lines)
    schedule = Schedule.from_options("2026-12-01T18:00Z", "0.5/day")
    with pytest.raises(
        UsageError, match=r"all 3 submissions to 'one' have one time.* --times FILE"
    ):
        grade_reports(batch, GradingRules(schedule=schedule))

    times = write(
        "git.csv",
        "student,exercise,time\nada,one,2026-12-01T17:59Z\nbo,,2026-12-01 19:01 Europe/Zurich\n"
        "cy,one,2026-12-02T06:00-12:00\n",
    )
    finished = grade_reports(batch, GradingRules(schedule=schedule, times=read_times(times)))
    assert [each.points for each in finished] == [4, 2, 2]
    rows = list(csv.DictReader(io.StringIO(to_tables.submissions(finished))))
    assert [(row["grade"], row["submitted"], row["time_from"]) for row in rows] == [
        ("4", "2026-12-01T17:59:00+00:00", "git.csv"),
        ("2", "2026-12-01T18:01:00+00:00", "git.csv"),
        ("2", "2026-12-02T18:00:00+00:00", "git.csv"),
    ]


def test_a_mark_without_a_time_is_one_day(
    tmp_path: Path, write: Callable[[str, str], Path]
) -> None:
    """Canvas gives such marks; an extension needs a time, and a time replaces the mark."""
    mark = {"handed_in": None, "time_from": "Canvas"}
    late = mark | {"marked_late": True}
    batch = batch_of(tmp_path, line("ada", "one", 4) | late, line("bo", "one", 4) | mark)
    rules = GradingRules(schedule=Schedule.from_options("2026-12-01T18:00Z", "0.5/day"))
    assert [each.points for each in grade_reports(batch, rules)] == [2, 4]
    own = read_schedule(write("schedule.yaml", TEXT), TRACKS)
    with pytest.raises(UsageError, match=r"'ada' has an extension for 'one', and Canvas marks"):
        grade_reports(batch, GradingRules(schedule=own))
    times = read_times(write("t.csv", "student,time\nada,2026-12-05T01:00Z\n"))
    assert [
        each.points for each in grade_reports(batch, GradingRules(schedule=own, times=times))
    ] == [
        2,
        4,
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("ada,2026-12-01T18:00,", "t.csv:2: '2026-12-01T18:00' does not say its time zone"),
        ("ada,,", "t.csv:2 has no time"),
        ("ada,,maybe", "t.csv:2: late is 'yes' or empty"),
        (
            "ada,2026-12-01T18:00Z,\nada,2026-12-01T19:00Z,",
            "t.csv:3 is about 'ada' and 'all' again",
        ),
    ],
)
def test_times_that_cannot_be_meant_are_refused(
    write: Callable[[str, str], Path], rows: str, said: str
) -> None:
    """With file and line."""
    with pytest.raises(UsageError, match=re.escape(said)):
        read_times(write("t.csv", f"student,time,late\n{rows}\n"))


def test_a_report_reads_the_schedule_of_a_course(
    etude: Etude, tmp_path: Path, write: Callable[[str, str], Path]
) -> None:
    """It says which times are doubtful, and which zone a due date without one has."""
    lines = [
        line("ada", "token-lookup", 4) | at("2026-12-01T12:00:00+00:00"),
        line("bo", "token-lookup", 4) | at("2126-12-01T12:00:00+00:00"),
        line("cy", "token-lookup", 4) | {"handed_in": None, "time_from": "Canvas", "marked_late": True},
    ]  # fmt: skip
    batch_of(tmp_path, *lines)
    write("schedule.yaml", "tracks: {attention: {due: 2026-12-01T13:00+02:00, late: 0.5/day}}\n")

    finished = etude(
        "report", "results.jsonl", "--schedule", "schedule.yaml", "--format", "gradebook"
    )

    assert finished.stdout.splitlines()[1:] == ["ada,2,2,4", "bo,0,0,4", "cy,2,2,4"]
    assert "1 late submission without a time: counted as 1 day late" in finished.stderr
    assert "bo's token-lookup comes from the future: 2126-12-01" in finished.stderr
    finished = etude("report", "results.jsonl", "--due", "2026-12-01", "--format", "gradebook")
    zone = parse_zoned_time("2026-12-01", needs_zone=False)
    assert f"--due has no zone and is taken as {zone}" in finished.stderr
