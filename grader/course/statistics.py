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
from typing import Any, Final

from grader.grading.results.verdict_json import FAULT

NOT_JUDGED: Final = (FAULT, "not graded")
_LINE: Final = re.compile(r"\bline \d+")
_MIN_STUDENTS: Final = 3  # fewest students for a correlation
# Share of a sum of squares that rounding leaves if all values are equal.
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Row:
    """One student's result in one exercise."""

    student: str
    exercise: str
    passed: bool
    score: float  # share of the points, 0 to 1
    mistakes: tuple[str, ...]
    failed_tests: tuple[str, ...]
    hint: int | None = None  # the number of the hint that the diagnosis points to
    tests: tuple[tuple[str, bool], ...] = ()  # id and success of each test that ran
    is_cut: bool = False  # True if some tests did not run
    file: str = ""
    # Key that is equal for equal failures; "" if passed or diagnosed.
    behaviour: str = ""
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
    # Number of failures of each test, the most common first.
    failed_tests: dict[str, int]
    # Number of diagnoses that pointed to each hint, the most common first.
    hints: dict[str, int]


def read_rows(records: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Read the records of results, one per student and exercise, without faults."""
    return [row for record in records if (row := read_row(record)) is not None]


def read_row(data: Mapping[str, Any]) -> Row | None:
    """Read one record; return None for a fault, which says nothing about the student."""
    if data["outcome"] in NOT_JUDGED:
        return None
    diagnosis = data.get("diagnosis") or {}
    is_misconception = diagnosis.get("kind") == "misconception"
    passed = data["outcome"] == "passed"
    is_told = passed or data["message"] or diagnosis  # a program that never ran has a message
    failed = [test for test in data["tests"] if test["outcome"] not in ("passed", "not run")]
    messages = [str(data["message"]), *(str(test["message"]) for test in failed)]
    # Equal failures agree in these: each failed test, its outcome, message and result.
    ends = [[test["id"], test["outcome"], str(test["message"]), test.get("got")] for test in failed]
    return Row(
        student=str(data["student"]),
        exercise=str(data["exercise"]),
        passed=passed,
        score=data["score"] / data["max_score"] if data["max_score"] else 0.0,
        mistakes=tuple(map(str, diagnosis["ids"])) if is_misconception else (),
        hint=diagnosis.get("hint"),
        failed_tests=tuple(str(test["id"]) for test in failed),
        tests=tuple(
            (str(test["id"]), test["outcome"] == "passed")
            for test in data["tests"]
            if test["outcome"] != "not run"
        ),
        is_cut=any(test["outcome"] == "not run" for test in data["tests"]),
        file=str(data.get("file", "")),
        behaviour="" if is_told else _LINE.sub("line", json.dumps(ends, sort_keys=True)),
        message=next(filter(None, messages), ""),
    )


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the students of an exercise, from which its statistics follow.

    Attributes:
        students: The number of students.
        passed: The number of students who passed.
        scores: The sum of their shares of the points.
        others: The sum of their scores in all other exercises.
        others_squared: The sum of the squares of these scores.
        others_of_passed: The sum of these scores over the students who passed.
    """

    students: int
    passed: int
    scores: float
    others: float
    others_squared: float
    others_of_passed: float


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Counts of the mistakes in an exercise, the most common first."""

    misconceptions: dict[str, int] = field(default_factory=dict)
    failed_tests: dict[str, int] = field(default_factory=dict)
    # Counts by the number of the hint that a diagnosis points to.
    hints: dict[str, int] = field(default_factory=dict)


def summarise(rows: Sequence[Row]) -> list[ExerciseStatistics]:
    """Summarise results by exercise, the hardest first."""
    by_exercise: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_exercise[row.exercise].append(row)
    totals: dict[str, float] = defaultdict(float)
    for row in rows:
        totals[row.student] += row.score
    statistics = {}
    for name, group in by_exercise.items():
        others = [(totals[row.student] - row.score, row.passed) for row in group]
        sums = Sums(
            students=len(group),
            passed=sum(row.passed for row in group),
            scores=math.fsum(row.score for row in group),
            others=math.fsum(other for other, _ in others),
            others_squared=math.fsum(other**2 for other, _ in others),
            others_of_passed=math.fsum(other for other, passed in others if passed),
        )
        mistakes = Mistakes(
            misconceptions=_count_names(mistake for row in group for mistake in row.mistakes),
            failed_tests=_count_names(test for row in group for test in row.failed_tests),
            hints=_count_names(str(row.hint) for row in group if row.hint is not None),
        )
        statistics[name] = sums, mistakes
    return hardest_first(statistics)


def hardest_first(
    by_exercise: Mapping[str, tuple[Sums, Mistakes]],
) -> list[ExerciseStatistics]:
    """Return the statistics of exercises from their sums and mistakes, the hardest first."""
    every = [
        ExerciseStatistics(
            exercise,
            students=sums.students,
            pass_rate=sums.passed / sums.students,
            mean_score=sums.scores / sums.students,
            discrimination=point_biserial(sums),
            misconceptions=mistakes.misconceptions,
            failed_tests=mistakes.failed_tests,
            hints=mistakes.hints,
        )
        for exercise, (sums, mistakes) in by_exercise.items()
    ]
    return sorted(every, key=lambda each: (each.pass_rate, each.exercise))


def _count_names(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def point_biserial(sums: Sums) -> float | None:
    """Correlate passing with the score on all other exercises; None if a variance is zero.

    For n students, each covariance is n times a sum of products minus the product of two sums. The
    correlation divides that of both variables by the root of the product of their variances.
    """
    n, passed, others = sums.students, sums.passed, sums.others
    if n < _MIN_STUDENTS:
        return None
    spread_of_passing = passed * (n - passed)
    spread_of_others = n * sums.others_squared - others**2
    rounding = max(_ROUNDING, n * sys.float_info.epsilon)
    if not spread_of_passing or spread_of_others <= rounding * n * sums.others_squared:
        # All students are alike.
        return None
    together = n * sums.others_of_passed - passed * others
    correlation = together / math.sqrt(spread_of_passing * spread_of_others)
    return min(1.0, max(-1.0, correlation))
