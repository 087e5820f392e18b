"""The input of every renderer: one graded submission, or a batch of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import FAULT, fault_data, verdict_data
from grader.grading.submissions.submission_time import SubmissionTime

if TYPE_CHECKING:
    from grader.grading.workers.submissions_folder import EntryResult

NOT_SUBMITTED: Final = "not submitted"
HiddenTests: TypeAlias = Literal["visible", "hidden", "after_due_date", "after_published"]
"""Gradescope's visibility of hidden test results."""


@dataclass(frozen=True, slots=True)
class CourseGrade:
    """The points that count in a course, if they differ from the verdict's."""

    points: float | None  # None if nothing was judged, or the student is excused
    max_points: int  # 0 if the student is excused
    note: str = ""  # the reason for the difference
    is_excused: bool = False  # whether the exercise does not count for the student


@dataclass(frozen=True, slots=True)
class Report:
    """One submission with its verdict, or with the reason for its absence."""

    exercise: str
    file: str
    outcome: str  # the verdict's outcome, `FAULT` or `NOT_GRADED`
    verdict: Verdict | None = None
    message: str = ""  # the reason for a missing verdict, for the person who runs the grader
    student: str | None = None  # in a batch, the name of the student's folder
    began: float = 0.0  # seconds since 1970; in a batch, of the whole run
    ended: float = 0.0
    verbose: bool = False  # True to show everything in formats for people
    time: SubmissionTime | None = None
    grade: CourseGrade | None = None  # set only in a report of a course
    hidden_tests: HiddenTests = "visible"  # applies on platforms that can hide them

    @classmethod
    def from_verdict(
        cls, verdict: Verdict, file: str, *, began: float = 0.0, ended: float = 0.0
    ) -> Self:
        """Make the report of a verdict on a file."""
        outcome = verdict.outcome.value
        return cls(verdict.exercise, file, outcome, verdict, began=began, ended=ended)

    @classmethod
    def from_fault(
        cls, exercise: str, file: str, message: str, *, began: float = 0.0, ended: float = 0.0
    ) -> Self:
        """Make the report of a fault that is not the submission's."""
        return cls(exercise, file, FAULT, None, message, began=began, ended=ended)

    @classmethod
    def from_record(cls, record: "EntryResult", *, began: float = 0.0, ended: float = 0.0) -> Self:
        """Make the report of one file's record in a batch."""
        verdict = record.result if isinstance(record.result, Verdict) else None
        return cls(
            exercise=record.entry.exercise if verdict is None else verdict.exercise,
            file=str(record.entry.path),
            outcome=record.outcome,
            verdict=verdict,
            message="" if verdict is not None else str(record.result),
            student=record.entry.student,
            began=began,
            ended=ended,
            time=record.entry.time,
        )

    @property
    def points(self) -> float | None:
        """The points that count, or None if nothing was judged."""
        if self.grade is not None:
            return self.grade.points
        return None if self.verdict is None else float(self.verdict.score)

    @property
    def max_points(self) -> int:
        """The possible points."""
        if self.grade is not None:
            return self.grade.max_points
        return 0 if self.verdict is None else self.verdict.max_score

    @property
    def is_excused(self) -> bool:
        """True if the exercise does not count for the student."""
        return self.grade is not None and self.grade.is_excused

    @property
    def is_fault(self) -> bool:
        """True if the grader failed, so that nothing was judged."""
        return self.outcome == FAULT

    def data(self) -> dict[str, Any]:
        """Return the report as an object of JSON types; in a batch with student and file."""
        head: dict[str, Any] = {}
        if self.student is not None:
            head |= {"student": self.student, "file": self.file}
        if self.time is not None:
            head |= self.time.data()
        if (grade := self.grade) is not None:
            head["grade"] = {
                "points": grade.points,
                "max_points": grade.max_points,
                "note": grade.note,
            }
        if self.verdict is not None:
            return {**head, **verdict_data(self.verdict)}
        if self.is_fault:
            return {**head, **fault_data(self.exercise, self.message)}
        rest = {"exercise": self.exercise, "outcome": self.outcome, "message": self.message}
        return {**head, **rest}


@dataclass(frozen=True, slots=True)
class Batch:
    """The reports of one run, in display order."""

    reports: tuple[Report, ...]
    done_before: int = 0  # number of submissions with a verdict from an earlier run
    not_looked_at: tuple[str, ...] = ()  # files that are not submissions
    hidden_tests: HiddenTests = "visible"  # applies on platforms that can hide them

    @classmethod
    def from_report(cls, report: Report) -> Self:
        """Wrap one report in a batch."""
        return cls((report,), hidden_tests=report.hidden_tests)

    def __iter__(self) -> Iterator[Report]:
        return iter(self.reports)

    @property
    def submission_count(self) -> int:
        """The number of submissions, without reports about missing ones."""
        return sum(report.outcome != NOT_SUBMITTED for report in self.reports)

    @property
    def is_single(self) -> bool:
        """True for a single submission outside of a folder, which therefore needs no name."""
        return len(self.reports) == 1 and self.reports[0].student is None

    @property
    def by_student(self) -> dict[str, dict[str, Report]]:
        """The last report of each student for each exercise."""
        students: dict[str, dict[str, Report]] = {}
        for report in self.reports:
            students.setdefault(report.student or "", {})[report.exercise] = report
        return students

    @property
    def graded_exercises(self) -> list[str]:
        """The exercises with a verdict or a grade."""
        return list(
            dict.fromkeys(report.exercise for report in self if report.verdict or report.grade)
        )

    @property
    def faults(self) -> tuple[Report, ...]:
        """The reports of submissions that could not be graded."""
        return tuple(report for report in self.reports if report.is_fault)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts."""
        return tuple(report.verdict for report in self.reports if report.verdict is not None)

    @property
    def score(self) -> int:
        """The sum of earned points in all verdicts."""
        return sum(verdict.score for verdict in self.verdicts)

    @property
    def max_score(self) -> int:
        """The sum of possible points in all verdicts."""
        return sum(verdict.max_score for verdict in self.verdicts)

    @property
    def seconds(self) -> float:
        """The duration of the run, in seconds."""
        return max(self.ended - self.began, 0.0)

    @property
    def began(self) -> float:
        """The time when grading began, in seconds since 1970."""
        return min((report.began for report in self.reports), default=0.0)

    @property
    def ended(self) -> float:
        """The time when grading ended, in seconds since 1970."""
        return max((report.ended for report in self.reports), default=0.0)
