"""Feedback, word for word, about each mistake that a submission can make.

Each folder of tests/golden/feedback/ with a `submission.py` in it is a case: `report.txt` is what
the real grader says of it. The exercise is the `exercise.yaml` there, or in a folder above; of an
attempt, it may be the shipped one that the folder is named after, without its hidden tests. A case
is named after what it shows, and may add words of its own, as in `off-by-one-early`.
`pytest tests/reports --update-goldens` writes the reports down again: read every sentence.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise, ExerciseLimits
from grader.definitions.properties import PROPERTIES
from grader.grading.comparison import relations
from grader.grading.comparison.relations.pair import RelationId
from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.feedback import error_explanations
from grader.grading.jobs import Job
from grader.grading.results.raw_result import DifferenceKind
from grader.grading.results.verdict import Diagnosis, DiagnosisKind, Verdict
from grader.grading.session.engine import Engine
from grader.grading.submissions.read_submission import read_file
from grader.reports.report import Report
from grader.reports.to_plain import render_report
from grader.sandbox.process import Sandbox
from tests.conftest import Goldens

FOLDER = Path(__file__).parents[1] / "golden" / "feedback"
SHIPPED = Path(__file__).parents[2] / "exercises"
CASES = sorted(path.parent for path in FOLDER.rglob("submission.py"))
RECOGNISED = ("causes", "differences", "relations")
"""Groups whose cases are named after a cause, a kind of difference or a relation.

See test_figures.py for figures.
"""
NAMED = (*RECOGNISED, "diagnoses", "endings")
LIMITS = ("timed-out", "out-of-memory", "output-limit")
MEASURED = FOLDER / "differences" / "budget-of-time" / "budget"
"""The case that quotes a measured time, which is another number each time."""


@dataclass(frozen=True, slots=True)
class Told:
    """The verdict of a case, with the recognized kinds of difference, relations and causes."""

    verdict: Verdict
    recognized: frozenset[str]

    @property
    def outcomes(self) -> set[str]:
        """How the submission and its tests ended."""
        return {self.verdict.outcome.value, *(test.outcome.value for test in self.verdict.tests)}

    @property
    def diagnosed(self) -> str:
        """The kind of the diagnosis."""
        return "none" if self.verdict.diagnosis is None else self.verdict.diagnosis.kind


class Spy:
    """Notes what the grader recognizes about a submission, not about programs it compares with."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._seen: set[str] = set()
        self._listens = True
        find, relate, diagnose = (
            vars(error_explanations)["_find"],
            relations.find_relation,
            Diagnostician.diagnose,
        )

        def found(kind: str, message: str) -> object:
            cause, match = find(kind, message)
            self._note(cause)
            return cause, match

        def relation(*args: Any) -> relations.Relation | None:
            related = relate(*args)
            self._note(None if related is None else related.id)
            return related

        def diagnosis(
            told: Diagnostician, results: Any, observed: Any, deadline: float, text: Any
        ) -> Diagnosis | None:
            for each in observed.values():
                self._note(each.difference_kind and each.difference_kind.value)
            self._listens = False
            try:
                return diagnose(told, results, observed, deadline, text)
            finally:
                self._listens = True

        patch.setattr(error_explanations, "_find", found)
        patch.setattr(relations, "find_relation", relation)
        patch.setattr(Diagnostician, "diagnose", diagnosis)

    def _note(self, name: str | None) -> None:
        if name and self._listens:
            self._seen.add(hyphened(name))

    def take(self) -> frozenset[str]:
        """Hand out what was noted since the last time."""
        seen, self._seen = self._seen, set()
        return frozenset(seen)


def hyphened(name: str) -> str:
    return name.replace(" ", "-")


def group_of(case: Path) -> str:
    return case.relative_to(FOLDER).parts[0]


def name_of(case: Path) -> str:
    return case.relative_to(FOLDER).as_posix()


def exercise_of(case: Path) -> Path:
    found = (folder / "exercise.yaml" for folder in (case, *case.parents))
    own = next((path for path in found if path.exists()), None)
    return own or next(SHIPPED.rglob(f"[0-9][0-9]-{case.parent.name}.yaml"))


def loaded(path: Path) -> Exercise:
    """Load an exercise; of a shipped one the visible tests, to which others may be added freely."""
    exercise = load_exercise_file(path)
    if FOLDER in path.parents or exercise.kind == "predict":
        return exercise
    visible = tuple(test for test in exercise.tests if not test.hidden)
    return replace(exercise, tests=visible, limits=ExerciseLimits(exercise.where, cpu_seconds=1))


class Cases:
    """Cases graded in the real sandbox, each once in a process of tests."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._exercises: dict[Path, Exercise] = {}
        self._told: dict[Path, Told] = {}

    def get(self, case: Path) -> Told:
        """Grade a case; one that was graded is remembered."""
        if case not in self._told:
            path = exercise_of(case)
            exercise = self._exercises.setdefault(path, loaded(path))
            with pytest.MonkeyPatch.context() as patch:
                spy = Spy(patch)
                job = Job(exercise, read_file(case / "submission.py"))
                verdict = Engine(self._sandbox).grade(job)
            self._told[case] = Told(verdict, spy.take())
        return self._told[case]


@pytest.fixture(scope="module")
def cases(sandbox: Sandbox) -> Cases:
    return Cases(sandbox)


def _is_ended_by_a_limit(case: Path) -> bool:
    report = case / "report.txt"
    return report.exists() and "Stopped after" in report.read_text("utf-8")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.slow] * _is_ended_by_a_limit(case)) for case in CASES],
    ids=name_of,
)
def test_a_learner_reads_what_is_in_the_golden_file(
    case: Path, cases: Cases, goldens: Goldens
) -> None:
    """The whole report, without marks or colours; what its name begins with is recognized."""
    told = cases.get(case)
    report = render_report(Report.from_verdict(told.verdict, "submission.py"))
    if case == MEASURED:
        report = re.sub(r"\d[\d,.]*(?= times the time| m?s\b)", "#", report)
    report = re.sub(r"(?<=had reached )\d+", "#", report)
    goldens.check(case / "report.txt", report)
    group, kind = group_of(case), case.name.partition("-")[0]
    if group in RECOGNISED:
        assert any(case.name.startswith(name) for name in told.recognized), told.recognized
    if case.name in LIMITS:
        assert case.name in map(hyphened, told.outcomes)
    if group == "diagnoses":  # also where a relation is named, or a misconception is only near
        assert told.diagnosed == {"relation": "none"}.get(kind, kind)


def test_every_golden_report_is_of_a_case(goldens: Goldens) -> None:
    """No report is left of a submission that is gone, and no exercise that no one takes."""
    goldens.check_all([*FOLDER.rglob("report.txt")], [case / "report.txt" for case in CASES])
    assert {*FOLDER.rglob("exercise.yaml")} == {
        path for path in map(exercise_of, CASES) if FOLDER in path.parents
    }


def test_everything_that_can_be_recognized_has_a_case() -> None:
    """Each kind of difference and of diagnosis, each relation, cause, property and limit.

    The names of the cases are enough: each case is shown to be what its name begins with.
    """
    names = {group: [path.name for path in CASES if group_of(path) == group] for group in NAMED}
    recognized = {
        *(
            hyphened(difference_kind.value)
            for difference_kind in DifferenceKind
            if difference_kind not in {DifferenceKind.FIGURE, DifferenceKind.PROPERTY}
        ),
        *get_args(RelationId),
        *(cause for patterns in error_explanations.CAUSES.values() for cause in patterns),
    }
    beginnings = [name for group in RECOGNISED for name in names[group]]
    assert {each for each in recognized if not any(map(starting(each), beginnings))} == set()
    kinds = {name.partition("-")[0] for name in names["diagnoses"]}
    assert kinds == {*get_args(DiagnosisKind), "none", "relation"}
    assert {*LIMITS} <= {*names["endings"]}
    assert {case.parent.name for case in CASES if "properties" in case.parts} == {*PROPERTIES}


def starting(beginning: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(beginning)
