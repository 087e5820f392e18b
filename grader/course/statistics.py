"""Statistics of result files: difficulty, discrimination and mistakes of each exercise.

The measures are those of classical test theory (Crocker and Algina, 1986, chapter 14). Difficulty
is the share of students who pass. Discrimination is the point-biserial correlation between passing
the exercise and the score on all others.
"""

import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.results.verdict_json import result_data
from grader.reports.report import Report

_LINE: Final = re.compile(r"\bline \d+")
_MIN_STUDENTS: Final = 3  # fewest students for a correlation
_ROUNDING: Final = 1e-12  # share of a sum of squares that rounding leaves if all values are equal


@dataclass(frozen=True, slots=True)
class Row:
    """One student's result in one exercise."""

    student: str
    exercise: str
    has_passed: bool
    score: float  # share of the points, 0 to 1
    mistakes: tuple[str, ...]
    failed_tests: tuple[str, ...]
    hint: int | None = None  # the number of the hint that the diagnosis points to
    tests: tuple[tuple[str, bool], ...] = ()  # id and success of each test that ran
    is_cut: bool = False  # True if some tests did not run
    file: str = ""
    behaviour: str = ""  # key that is equal for equal failures; "" if passed or diagnosed
    message: str = ""  # the first message about a failure


@dataclass(frozen=True, slots=True)
class ExerciseStatistics:
    """The statistics of one exercise."""

    exercise: str
    students: int
    pass_rate: float  # 0 to 1; a lower rate means a harder exercise
    mean_score: float  # 0 to 1
    discrimination: float | None  # -1 to 1; None for too few or equal students
    # Number of diagnoses of each misconception, the most common first.
    misconceptions: dict[str, int]
    failed_tests: dict[str, int]  # number of failures of each test, the most common first
    hints: dict[str, int]  # number of diagnoses that pointed to each hint, the most common first


def make_rows(reports: Iterable[Report]) -> list[Row]:
    """Return the rows of reports, without faults, which say nothing about a student."""
    return [
        make_row(report.verdict, report.student or "", report.file)
        for report in reports
        if report.verdict is not None
    ]


def make_row(verdict: Verdict, student: str = "", file: str = "") -> Row:
    """Return the row of a verdict."""
    diagnosis = verdict.diagnosis
    passed = verdict.outcome is Outcome.PASSED
    # A program that never ran has a message.
    has_explanation = passed or verdict.message or diagnosis
    ran = [test for test in verdict.tests if test.outcome is not Outcome.NOT_RUN]
    failed = [test for test in ran if test.outcome is not Outcome.PASSED]
    # Equal failures agree in these: each failed test, its outcome, message and result.
    ends = [[test.id, test.outcome, test.message, result_data(test)["got"]] for test in failed]
    return Row(
        student=student,
        exercise=verdict.exercise,
        has_passed=passed,
        score=verdict.score / max(verdict.max_score, 1),
        mistakes=diagnosis.ids if diagnosis and diagnosis.kind == "misconception" else (),
        hint=diagnosis.hint if diagnosis else None,
        failed_tests=tuple(test.id for test in failed),
        tests=tuple((test.id, test.outcome is Outcome.PASSED) for test in ran),
        is_cut=len(ran) < len(verdict.tests),
        file=file,
        behaviour="" if has_explanation else _LINE.sub("line", json.dumps(ends, sort_keys=True)),
        message=next(filter(None, (verdict.message, *(test.message for test in failed))), ""),
    )


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the students of an exercise or a test, from which its discrimination follows.

    Attributes:
        students: The number of students.
        passed: The number of students who passed.
        sum_rest: The sum of their rest scores: a student's score in all other exercises or tests.
        sum_rest_squared: The sum of the squares of the rest scores.
        sum_rest_of_passed: The sum of the rest scores of the students who passed.
    """

    students: int
    passed: int
    sum_rest: float
    sum_rest_squared: float
    sum_rest_of_passed: float

    @classmethod
    def add_up(cls, results: Sequence[tuple[float, bool]]) -> "Sums":
        """Add up the rest score of each student, with whether the student passed."""
        return cls(
            students=len(results),
            passed=sum(passed for _, passed in results),
            sum_rest=math.fsum(rest for rest, _ in results),
            sum_rest_squared=math.fsum(rest**2 for rest, _ in results),
            sum_rest_of_passed=math.fsum(rest for rest, passed in results if passed),
        )


@dataclass(frozen=True, slots=True)
class MistakeCounts:
    """Counts of the mistakes in an exercise, the most common first."""

    misconceptions: dict[str, int] = field(default_factory=dict)
    failed_tests: dict[str, int] = field(default_factory=dict)
    # Counts by the number of the hint that a diagnosis points to.
    hints: dict[str, int] = field(default_factory=dict)


def summarize_exercises(rows: Sequence[Row]) -> list[ExerciseStatistics]:
    """Summarize results by exercise, the hardest first."""
    by_exercise: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_exercise[row.exercise].append(row)
    totals: dict[str, float] = defaultdict(float)
    for row in rows:
        totals[row.student] += row.score
    statistics = {}
    for name, group in by_exercise.items():
        sums = Sums.add_up([(totals[row.student] - row.score, row.has_passed) for row in group])
        mean_score = math.fsum(row.score for row in group) / len(group)
        mistakes = MistakeCounts(
            misconceptions=_count_names(mistake for row in group for mistake in row.mistakes),
            failed_tests=_count_names(test for row in group for test in row.failed_tests),
            hints=_count_names(str(row.hint) for row in group if row.hint is not None),
        )
        statistics[name] = mean_score, sums, mistakes
    return derive_statistics(statistics)


def derive_statistics(
    by_exercise: Mapping[str, tuple[float, Sums, MistakeCounts]],
) -> list[ExerciseStatistics]:
    """Return the statistics of exercises from mean score, sums and mistakes, the hardest first."""
    statistics = [
        ExerciseStatistics(
            exercise,
            students=sums.students,
            pass_rate=sums.passed / sums.students,
            mean_score=mean_score,
            discrimination=point_biserial(sums),
            misconceptions=mistakes.misconceptions,
            failed_tests=mistakes.failed_tests,
            hints=mistakes.hints,
        )
        for exercise, (mean_score, sums, mistakes) in by_exercise.items()
    ]
    return sorted(statistics, key=lambda row: (row.pass_rate, row.exercise))


def _count_names(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def point_biserial(sums: Sums) -> float | None:
    """Return the correlation of passing with the rest score; None if a variance is zero.

    With x = 1 for a pass and y the rest score, over n students:
    (n Σxy - Σx Σy) / sqrt((n Σx² - (Σx)²) (n Σy² - (Σy)²)).
    """
    n, passed, rest = sums.students, sums.passed, sums.sum_rest
    if n < _MIN_STUDENTS:
        return None
    passing_variance = passed * (n - passed)
    rest_variance = n * sums.sum_rest_squared - rest**2
    rounding = max(_ROUNDING, n * sys.float_info.epsilon)
    if not passing_variance or rest_variance <= rounding * n * sums.sum_rest_squared:
        return None  # all students are alike
    covariance = n * sums.sum_rest_of_passed - passed * rest
    correlation = covariance / math.sqrt(passing_variance * rest_variance)
    return min(1.0, max(-1.0, correlation))
