"""What result files tell about exercises: how hard, how telling, and which mistakes are made.

The measures are those of classical test theory (Crocker and Algina, 1986, chapter 14): difficulty
is the share that passes; discrimination is the point-biserial correlation between passing this
exercise and the score on all others.
"""

import json
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.grading.records import FAULT

NOT_JUDGED: Final = (FAULT, "not graded")
_FEWEST: Final = 3  # students without whom a correlation says nothing


@dataclass(frozen=True, slots=True)
class Row:
    """One student's last result of one exercise."""

    student: str
    exercise: str
    passed: bool
    score: float  # share of the points, 0 to 1
    mistakes: tuple[str, ...]
    failed_tests: tuple[str, ...]
    hint: int | None = None  # the number of the hint that the diagnosis pointed to


@dataclass(frozen=True, slots=True)
class ExerciseStatistics:
    """What is known of one exercise."""

    exercise: str
    students: int
    pass_rate: float  # 0 to 1: the lower, the harder
    mean_score: float  # 0 to 1
    discrimination: float | None  # -1 to 1; None where there are too few or all alike
    misconceptions: dict[str, int]  # how often each was recognised, the most common first
    failed_tests: dict[str, int]  # how often each test did not pass, likewise
    hints: dict[str, int]  # how often a diagnosis pointed to each hint, likewise


def read_results(paths: Iterable[Path]) -> list[Row]:
    """Read result files of `etude grade`; of several results for one file the last counts.

    Raises:
        UsageError: a file cannot be read, or is no result file.
    """
    rows: dict[tuple[str, str], Row] = {}
    for path in paths:
        for number, line in enumerate(_lines(path), start=1):
            try:
                row = row_of(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise UsageError(f"{path}:{number} is no result of etude grade") from None
            if row is not None:
                rows[row.student, row.exercise] = row
    return list(rows.values())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def row_of(data: Mapping[str, Any]) -> Row | None:
    """Read one record; a fault says nothing about its student."""
    if data["outcome"] in NOT_JUDGED:
        return None
    diagnosis = data.get("diagnosis") or {}
    is_misconception = diagnosis.get("kind") == "misconception"
    return Row(
        student=str(data["student"]),
        exercise=str(data["exercise"]),
        passed=data["outcome"] == "passed",
        score=data["score"] / data["max_score"] if data["max_score"] else 0.0,
        mistakes=tuple(map(str, diagnosis["ids"])) if is_misconception else (),
        hint=diagnosis.get("hint"),
        failed_tests=tuple(
            str(test["id"])
            for test in data["tests"]
            if test["outcome"] not in ("passed", "not run")
        ),
    )


def summarise(rows: Sequence[Row]) -> list[ExerciseStatistics]:
    """Sum up results by exercise, the hardest first."""
    by_exercise: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_exercise[row.exercise].append(row)
    totals: dict[str, float] = defaultdict(float)
    for row in rows:
        totals[row.student] += row.score
    found = [_statistics(name, group, totals) for name, group in by_exercise.items()]
    return sorted(found, key=lambda each: (each.pass_rate, each.exercise))


def _statistics(exercise: str, rows: Sequence[Row], totals: dict[str, float]) -> ExerciseStatistics:
    others = [totals[row.student] - row.score for row in rows]
    return ExerciseStatistics(
        exercise,
        students=len(rows),
        pass_rate=statistics.fmean(row.passed for row in rows),
        mean_score=statistics.fmean(row.score for row in rows),
        discrimination=_correlation([float(row.passed) for row in rows], others),
        misconceptions=_counted(mistake for row in rows for mistake in row.mistakes),
        failed_tests=_counted(test for row in rows for test in row.failed_tests),
        hints=_counted(str(row.hint) for row in rows if row.hint is not None),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(one) < _FEWEST:
        return None
    try:
        found = statistics.correlation(one, other)
    except statistics.StatisticsError:  # all alike
        return None
    return found if math.isfinite(found) else None
