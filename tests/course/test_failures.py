"""Tests that are suspicious, failures that are alike, and misconceptions made of them."""

import json
import statistics
from pathlib import Path

import numpy as np
import pytest

from grader.course.failures import group_failures, summarize_tests
from grader.course.statistics import Row
from grader.definitions.collection import load_exercise_file
from tests.conftest import TWICE, Etude

DOUBLE = TWICE.replace("[-2.0]", "[-2.0]\n    tolerance: {atol: 1.0e-9}")
SPOILT = DOUBLE.replace("[-2.0]", "[-2.001]")


def row(student: str, *results: bool, exercise: str = "e", is_cut: bool = False) -> Row:
    tests = tuple((f"t{number}", passed) for number, passed in enumerate(results))
    failed = tuple(name for name, passed in tests if not passed)
    share = sum(results) / len(results)
    return Row(
        student, exercise, not failed, share, (), failed, tests=tests, is_cut=is_cut,
        file=f"{student}.py", behaviour=str(failed) * bool(failed),
    )  # fmt: skip


def test_a_test_that_the_best_fail_is_suspicious() -> None:
    """A test that no one passes and many fail alone is suspicious, unlike one that is just hard."""
    rows = [row(f"s{i}", True, True, False) for i in range(6)]
    rows += [row(f"w{i}", False, True, False) for i in range(4)]
    first, *others = summarize_tests(rows)
    assert (first.test, first.failed, first.alone, first.whole) == ("t2", 10, 6, 0)
    assert first.suspicion.startswith("of 6 students who pass every other test, 6 fail it, and no")
    assert [each.suspicion for each in others] == ["", ""]


def test_a_test_that_some_fail_alone_is_not_suspicious() -> None:
    """An edge that a third of the good ones miss is what a hidden test is for."""
    rows = [row(f"a{i}", True, True) for i in range(20)]
    rows += [row(f"b{i}", True, False) for i in range(10)]
    rows += [row(f"c{i}", True, False, is_cut=True) for i in range(30)]  # more tests did not run
    assert [each.suspicion for each in summarize_tests(rows)] == ["", ""]


def test_discrimination_of_a_test_is_a_correlation_with_the_other_tests() -> None:
    """Below zero, with students enough, it is suspicious."""
    rng = np.random.default_rng(0)
    results = [[bool(each) for each in rng.random(4) < 0.6] for _ in range(40)]
    for each in results:
        each[3] = all(each[:3]) or sum(each[:3]) < 2
    rows = [row(f"s{i}", *each) for i, each in enumerate(results)]
    found = {each.test: each for each in summarize_tests(rows)}
    rest = [sum(each[:3]) / 3 for each in results]
    known = statistics.correlation([float(each[3]) for each in results], rest)
    assert found["t3"].discrimination == pytest.approx(known)
    assert found["t3"].suspicion.startswith("who passes the other tests fails it more often (-0.")


def test_failures_alike_are_one_group_the_largest_first() -> None:
    """Submissions that passed, or have a diagnosis, are in no group."""
    rows = [row("a", False, True), *(row(s, True, False) for s in "bcd"), row("e", True, True)]
    first, second = group_failures(rows)
    assert (first.number, first.students, first.files) == (1, 3, ("b.py", "c.py", "d.py"))
    assert (second.number, second.tests) == (2, ("t0",))


def hand_in(folder: Path, **bodies: str) -> None:
    for student, body in bodies.items():
        path = folder / "in" / student / "double.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""By {student}."""\n# {student}\ndef double(x):\n    return {body}\n')


def test_a_spoilt_test_is_named_in_the_first_line(etude: Etude, tmp_path: Path) -> None:
    """The exercises, the tests, and the groups follow it."""
    (tmp_path / "double.yaml").write_text(SPOILT)
    hand_in(tmp_path, ann="2 * x", ben="x + x", cas="2.0 * x", dan="abs(x) * 2")
    assert etude("grade", "in", "--exercises", ".", "--output", "r.jsonl").returncode == 1
    told = etude("stats", "r.jsonl").stdout
    assert told.startswith(
        "Suspicious: double: test 'negative': of 4 students who pass every other test, 4 fail it, "
        "and no one passes them all; look at its expected value and its tolerance.\n"
    )
    (found,) = json.loads(etude("stats", "r.jsonl", "--format", "json").stdout)
    assert [each["alone"] for each in found["tests"]] == [4, 0]


@pytest.mark.slow
def test_a_group_becomes_a_misconception_that_is_proven(etude: Etude, tmp_path: Path) -> None:
    """Its program without the words of a student, and the sentence that was asked for."""
    (tmp_path / "double.yaml").write_text(DOUBLE)
    hand_in(tmp_path, ann="2 * x", ben="x * 7.5 - 1", cas="x * 7.5 - 1", dan="x ** 5 - 9")
    etude("grade", "in", "--exercises", ".", "--output", "r.jsonl")
    told = etude("stats", "r.jsonl").stdout
    assert "1. double, 2 submissions, as in/ben/double.py: test 'worked': " in told
    assert "To name one: etude misconception add double 1 --results r.jsonl\n" in told
    add = ("misconception", "add", "./double.yaml")
    finished = etude(*add, "1", "--results", "r.jsonl", "--says", "Seven and a half is too much.")
    assert "misconception 'seven-and-a-half' is added" in finished.stdout, finished.stderr
    (added,) = load_exercise_file(tmp_path / "double.yaml").misconceptions
    assert added.code == "def double(x):\n    return x * 7.5 - 1\n"
    verified = etude("verify", "double.yaml", "--format", "json")
    (proof,) = json.loads(verified.stdout)["exercises"]
    assert proof["checks"]["misconceptions-diagnosed"] == "passed"
    assert proof["counts"]["rejected"] == 1
    again = etude(*add, "in/dan/double.py", "--says", "Seven and a half is wrong.")
    assert "misconception 'seven-and-a-half-2' is added" in again.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["1"], "name them with --results FILE"),
        (["9", "--results", "r.jsonl"], "there is no group 9; `etude stats` lists 0"),
        (["none.py"], "There is no file 'none.py'"),
        (["bad.py"], "bad.py is not Python that runs"),
        (["good.py", "--says", " "], "needs a sentence"),
    ],
)
def test_what_is_no_misconception_is_refused(
    etude: Etude, tmp_path: Path, words: list[str], said: str
) -> None:
    """A sentence, status 2, and the file as it was."""
    (tmp_path / "double.yaml").write_text(DOUBLE)
    (tmp_path / "bad.py").write_text("def (")
    (tmp_path / "good.py").write_text("def double(x):\n    return x\n")
    (tmp_path / "r.jsonl").write_text("")
    finished = etude("misconception", "add", "./double.yaml", "--says", "S.", *words)
    assert finished.returncode == 2
    assert said in finished.stderr
    assert (tmp_path / "double.yaml").read_text() == DOUBLE
