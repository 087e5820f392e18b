"""The work of a class, from a Canvas download to grades, with graders that are killed meanwhile.

ETUDE_CLASS=150x6 has it be of that size.
"""

import csv
import functools
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.definitions.collection import find_exercise
from grader.definitions.exercise import Exercise
from grader.definitions.files import default_folder
from tests.conftest import Etude
from tests.notebook_files import notebook

STUDENTS, EXERCISES = map(int, os.environ.get("ETUDE_CLASS", "30x3").split("x"))
IDS = ("token-lookup", "scaled-scores", "stable-softmax", "attention-weights", "causal-mask",
       "causal-attention")  # fmt: skip
IN_TIME, LATE = (2026, 11, 30, 12, 0, 0), (2026, 12, 2, 12, 0, 0)  # of the download: no times
BROKEN = '{\n "cells": ['


@dataclass(frozen=True)
class Work:
    """One submitted file, and the result that it has to get."""

    student: str
    exercise: str
    name: str  # in the zip
    content: str
    outcome: str  # passed or not passed
    is_late: bool


def class_work(students: Sequence[str], exercises: Sequence[Exercise]) -> Iterator[Work]:
    """Yield right and wrong files, two thirds of them notebooks; a tenth is missing."""
    chance = random.Random(19)  # noqa: S311  the same class each time
    for number, student in enumerate(students):
        for exercise in exercises:
            what = chance.choices(["right", "wrong", "starter", "missing"], [60, 20, 10, 10])[0]
            if what == "missing":
                continue
            wrong = chance.choice(exercise.misconceptions).code
            code = {"right": exercise.solution, "wrong": wrong, "starter": exercise.starter}[what]
            own = f"{code}\n# {student}\n"  # no two are equal
            outcome = "passed" if what == "right" else "not passed"
            suffix, content = "py", own
            if chance.random() < 2 / 3:
                suffix, content = (
                    "ipynb",
                    notebook(None, "%matplotlib inline\n1 / 0", own, "!ls", "y = = 3"),
                )
            if number == 1:
                suffix, content, outcome = "ipynb", BROKEN, "not passed"
            is_late = chance.random() < 1 / 6
            late = "LATE_" if is_late else ""
            file = f"{exercise.id.replace('-', '_')}-1.{suffix}"
            name = f"{student}_{late}{1000 + number}_{chance.randrange(10**6)}_{file}"
            yield Work(student, str(exercise.id), name, content, outcome, is_late)


def canvas_zip(path: Path, works: Sequence[Work]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for work in works:
            date = LATE if work.is_late else IN_TIME
            archive.writestr(zipfile.ZipInfo(work.name, date), work.content)
        archive.writestr(zipfile.ZipInfo("../../outside_1_2_token_lookup.py", IN_TIME), "x")


def grade_until(lines: int, number: int, folder: Path, words: Sequence[str]) -> int:
    """Begin to grade, and send a signal when so many results are there; return the status."""
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # A shell starts what it puts in the background with SIGINT ignored, and that is inherited.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no threads here
    )
    out = folder / "results.jsonl"
    deadline = time.monotonic() + 300
    while not (out.exists() and out.read_bytes().count(b"\n") >= lines):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    return process.wait(timeout=60)


@dataclass(frozen=True)
class Course:
    """A class, its work, and the folder for all of it."""

    folder: Path
    students: list[str]
    exercises: list[Exercise]
    works: list[Work]
    etude: Etude

    def table(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO((self.folder / name).read_text())))


FORMATS = ("csv", "html", "junit", "json", "markdown", "jsonl", "gradebook")


@pytest.mark.slow
def test_a_class_is_collected_graded_and_reported(etude_process: Etude, tmp_path: Path) -> None:
    """With graders that are killed; nothing is lost or graded twice, and everyone has a grade."""
    exercises = [find_exercise(name, default_folder()) for name in IDS[:EXERCISES]]
    students = [f"student{number:03}" for number in range(STUDENTS)]
    works = list(class_work(students, exercises))
    course = Course(tmp_path, students, exercises, works, etude_process)
    collect(course)
    grade(course)
    report(course)


def collect(course: Course) -> None:
    """Put a download in order, by a roster that a spreadsheet wrote."""
    canvas_zip(course.folder / "canvas.zip", course.works)
    names = enumerate([*course.students, "zoe"])
    roster = "".join(f"{name},{1000 + number}\n" for number, name in names)
    (course.folder / "roster.csv").write_bytes(f"student,id\n{roster}".encode("utf-16"))
    finished = course.etude("collect", "canvas.zip", "--into", "in", "--roster", "roster.csv")
    assert finished.returncode == 2
    assert f"{len(course.works)} submissions in in\n" in finished.stdout
    assert "outside_1_2_token_lookup.py: its path leads outside" in finished.stdout


def grade(course: Course) -> None:
    """Grade it in three goes; the reports of the last one have all of it."""
    works, folder = course.works, course.folder
    words = ["grade", "in", "--output", "results.jsonl"]
    assert grade_until(len(works) // 4, signal.SIGKILL, folder, words) == -signal.SIGKILL
    words.append("--resume")
    assert grade_until(len(works) // 2, signal.SIGINT, folder, words) == 130
    finished = course.etude(*words, *(f"--format={name}=all.{name}" for name in FORMATS))
    assert finished.returncode == 1, finished.stderr
    assert "gets 0 points: The notebook is broken" in finished.stderr
    assert f"{len(works)} submissions: " in finished.stdout

    found = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert set(Counter(each["file"] for each in found).values()) == {1}
    outcomes = {(each["student"], each["exercise"]): each["outcome"] for each in found}
    for work in works:
        outcome = outcomes[work.student, work.exercise]
        assert (outcome == "passed") == (work.outcome == "passed"), work
    rows = course.table("all.csv")
    assert {(row["student"], row["exercise"]): row["outcome"] for row in rows} == outcomes
    for name in FORMATS:
        text = (folder / f"all.{name}").read_text()
        assert all(student in text for student in course.students[:2]), name


def report(course: Course) -> None:
    """Turn the results into grades: points by hand, an excuse, late and missing work."""
    works, folder = course.works, course.folder
    given = next(work for work in works if work.outcome == "not passed" and not work.is_late)
    excused = next(work for work in works if work.is_late and work.outcome == "passed")
    (folder / "overrides.csv").write_text(
        "student,exercise,points,excused,comment,by\n"
        f"{given.student},{given.exercise},1.5,,right idea,Kim\n"
        f"{excused.student},{excused.exercise},,yes,ill,Kim\n"
    )
    rules = ("--roster", "roster.csv", "--due", "2026-12-01T00:00", "--late", "0.5/day",
             "--overrides", "overrides.csv", "--feedback", "pages")  # fmt: skip
    books = [f"--format={name}=final.{name}" for name in (*FORMATS, "moodle")]
    finished = course.etude("report", "results.jsonl", *rules, *books)
    assert finished.returncode == 0, finished.stderr

    book = {row["student"]: row for row in course.table("final.gradebook")}
    assert list(book) == [*course.students, "zoe"]
    assert set(list(book["zoe"].values())[1:-1]) == {"0"}
    by_name = {(work.student, work.exercise): work for work in works}
    for student in course.students:
        for exercise in course.exercises:
            work = by_name.get((student, str(exercise.id)))
            cell = book[student][exercise.id]
            if work is not None and work in (given, excused):
                assert cell == ("1.5" if work == given else "excused")
            elif work is None or work.outcome != "passed":
                assert float(cell) < exercise.max_points, work
            else:
                assert float(cell) == exercise.max_points * (0.5 if work.is_late else 1)
    assert {path.stem for path in (folder / "pages").iterdir()} == {*course.students, "zoe"}
    for name in ("csv", "html", "json", "jsonl", "junit", "markdown"):
        assert "by Kim" in (folder / f"final.{name}").read_text(), name
