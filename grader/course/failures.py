"""Statistics of single tests, and groups of undiagnosed failures with equal behaviour."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grader.course.statistics import Row, Sums, point_biserial

# Fewest students for a suspicion: those who fail only this test, or those who take it.
_MIN_STUDENTS: Final = 3
_ENOUGH_STUDENTS: Final = 20  # fewest students for a meaningful correlation
# Least share of failures of a test, among students who pass all others, for a suspicion.
_SUSPECT_SHARE: Final = 0.5
# A discrimination below this means that better students fail the test more often.
_SUSPECT_VALUE: Final = -0.1


@dataclass(frozen=True, slots=True)
class TestStatistics:
    """The failures of one test."""

    exercise: str
    test: str
    students: int  # number of students for whom the test ran
    failed: int
    alone: int  # number of students who failed only this test
    whole: int  # number of students who passed every test
    # Correlation between passing this test and the share of other tests passed.
    discrimination: float | None

    @property
    def suspicion(self) -> str:
        """The reason for suspecting the test, as a sentence, or ""."""
        others = self.alone + self.whole
        if self.alone >= _MIN_STUDENTS and self.alone >= _SUSPECT_SHARE * others:
            ending = "" if self.whole else ", and no one passes them all"
            return (
                f"of {others} students who pass every other test, {self.alone} fail it{ending}; "
                "look at its expected value and its tolerance"
            )
        if self.failed == self.students >= _MIN_STUDENTS and self.alone:
            return f"none of {self.students} students passes it; look at what it expects"
        value = self.discrimination
        if value is not None and value < _SUSPECT_VALUE and self.students >= _ENOUGH_STUDENTS:
            return f"who passes the other tests fails it more often ({value:.2f})"
        return ""


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Submissions that fail an exercise in the same way without a diagnosis."""

    number: int  # number from 1, over all exercises, the largest group first
    exercise: str
    students: int
    files: tuple[str, ...]
    tests: tuple[str, ...]  # ids of the failing tests
    message: str  # the message of the first failing test


def summarize_tests(rows: Sequence[Row]) -> list[TestStatistics]:
    """Compute the statistics of every test, the most suspicious first."""
    by_test: dict[tuple[str, str], list[Row]] = defaultdict(list)
    full_passes: dict[str, int] = defaultdict(int)
    for row in rows:
        full_passes[row.exercise] += row.has_passed
        for test, _ in row.tests:
            by_test[row.exercise, test].append(row)
    statistics = []
    for (exercise, test), group in by_test.items():
        results = [dict(row.tests)[test] for row in group]
        other_tests = [[passed for name, passed in row.tests if name != test] for row in group]
        rest_scores = [sum(test) / len(test) if test else 0.0 for test in other_tests]
        each = TestStatistics(
            exercise,
            test,
            students=len(group),
            failed=len(group) - sum(results),
            alone=sum(row.failed_tests == (test,) and not row.is_cut for row in group),
            whole=full_passes[exercise],
            discrimination=point_biserial(Sums.add_up([*zip(rest_scores, results, strict=True)])),
        )
        statistics.append(each)
    return sorted(statistics, key=lambda test: (not test.suspicion, -test.alone, -test.failed))


def group_failures(rows: Sequence[Row]) -> list[FailureGroup]:
    """Group the undiagnosed failures, the largest group first."""
    alike: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.behaviour:
            alike[row.exercise, row.behaviour].append(row)
    ordered = sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        FailureGroup(
            number,
            exercise,
            students=len(group),
            files=tuple(sorted(row.file for row in group)),
            tests=group[0].failed_tests,
            message=group[0].message,
        )
        for number, ((exercise, _), group) in enumerate(ordered, 1)
    ]
