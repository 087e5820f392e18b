"""Grades from result files: newest verdicts, missing work, late work and manual points."""

import functools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from grader.course.csv_rows import is_yes, parse_rows, read_text
from grader.course.late_rules import LateRule, Override, compute_grade
from grader.course.schedule import Schedule
from grader.course.times_file import are_at_once
from grader.definitions.wording import join_first
from grader.errors import UsageError
from grader.grading.results.verdict_json import NOT_GRADED
from grader.grading.submissions.submission_time import SubmissionTime, Times, time_in
from grader.grading.submissions.submitted_files import Candidate, choose
from grader.reports.report import NOT_SUBMITTED, Batch, CourseGrade, Report
from grader.reports.results_file import parse_result
from grader.student_names import LOST_ZEROS, find_lost_zeros

_TIMES_ADVICE: Final = "give the times with --times FILE, a CSV with student, exercise, time"


@dataclass(frozen=True, slots=True)
class GradingRules:
    """The roster, late rule and overrides that turn verdicts into grades.

    Attributes:
        roster: The students of the course; None to count only those who submitted.
        schedule: The due dates and late rules; None if time does not matter.
        overrides: Manual points, by student and exercise.
        times: Submission times that replace those in the results, by student and exercise.
    """

    roster: tuple[str, ...] | None = None
    schedule: Schedule | None = None
    overrides: Mapping[tuple[str, str], Override] = field(default_factory=dict)
    times: Times = field(default_factory=dict)


def read_results(paths: Iterable[Path]) -> Batch:
    """Read result files of `etude grade --output`.

    Of several results for a file, the last counts. Of a student's several files for an exercise,
    `choose` decides. A result without a judgement never replaces a verdict.

    Raises:
        UsageError: A file cannot be read, a line is invalid or cut off, or `choose` cannot decide.
    """
    newest: dict[tuple[str, str], dict[str, Report]] = {}
    for path in paths:
        for number, line in enumerate(read_text(path).splitlines(), start=1):
            report = parse_result(line, f"{path}:{number}", "and --resume grades its file again")
            files = newest.setdefault((report.student or "", report.exercise), {})
            if report.verdict is not None or files.get(report.file, report).verdict is None:
                files[report.file] = report
    return Batch(tuple(_choose_newest(newest[key]) for key in sorted(newest)))


def _choose_newest(files: Mapping[str, Report]) -> Report:
    """Return the result that counts among a student's files for one exercise.

    Raises:
        UsageError: `choose` cannot decide between two files.
    """
    judged = {Path(name): file for name, file in files.items() if file.verdict} or {
        Path(name): file for name, file in files.items()
    }
    candidates = [
        Candidate(
            path, report.time.at if report.time else None, digest=functools.partial(_digest, report)
        )
        for path, report in judged.items()
    ]
    best, left_out = choose(candidates)
    if best is None:
        last = next(iter(judged.values()))
        reason = left_out[next(iter(judged))]
        raise UsageError(f"{last.student!r} has several results of {last.exercise!r}: {reason}")
    return judged[best.path]


def _digest(report: Report) -> str:
    return "" if report.verdict is None else report.verdict.submission_hash


def read_overrides(path: Path) -> dict[tuple[str, str], Override]:
    """Read manual points from a CSV with student, exercise, points, excused, comment, by.

    Raises:
        UsageError: The file cannot be read, or a line is invalid.
    """
    overrides: dict[tuple[str, str], Override] = {}
    for number, row in parse_rows(read_text(path), str(path), ("student", "exercise")):
        where = f"{path}:{number}"
        key = (row["student"], row["exercise"])
        if not all(key):
            raise UsageError(f"{where} needs a student and an exercise")
        if key in overrides:
            raise UsageError(f"{where} is about {key[0]!r} and {key[1]!r} again")
        is_excused = is_yes(row, "excused", where)
        written = row.get("points", "")
        if written and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", written) is None:
            raise UsageError(f"{where}: points are a number such as 4 or 4.5, not {written!r}")
        points = float(written) if written else None
        if points is not None and is_excused:
            raise UsageError(f"{where} gives points and excuses; one of them counts")
        comment = row.get("comment", "")
        if points is None and not is_excused and not comment:
            raise UsageError(f"{where} gives no points, no excuse and no comment")
        overrides[key] = Override(points, is_excused, comment, row.get("by", ""), where)
    return overrides


def grade_reports(batch: Batch, rules: GradingRules) -> Batch:
    """Return all reports with their grades, and one for each missing exercise.

    Raises:
        UsageError: A student id has lost its leading zeros; an override is for an unknown
            student or exercise, or gives too many points; or the results lack a time that is
            needed.
    """
    reports = {
        (report.student or "", report.exercise): replace(
            report, time=time_in(rules.times, report.student or "", report.exercise) or report.time
        )
        for report in batch
    }
    max_points: dict[str, int] = {}
    for report in batch:
        if report.verdict is not None:
            max_points[report.exercise] = max(
                report.verdict.max_score, max_points.get(report.exercise, 0)
            )
    students = dict.fromkeys(rules.roster or ())
    students |= dict.fromkeys(sorted({student for student, _ in reports}))
    _check_names(rules, max_points, students)
    if rules.schedule is not None:
        _refuse_one_time(rules.schedule, max_points, reports)
    _refuse_lost_zeros(students, rules.roster)
    grades = []
    for student in students:
        for exercise, points in max_points.items():
            override = rules.overrides.get((student, exercise))
            if (student, exercise) in reports:
                report = reports[student, exercise]
            elif rules.roster is not None or override is not None:
                message = "There is no file for this exercise."
                report = Report(exercise, "", NOT_SUBMITTED, message=message, student=student)
            else:
                continue
            grades.append(replace(report, grade=_grade_report(report, points, rules, override)))
    without = (report for report in batch if report.exercise not in max_points)
    return replace(batch, reports=(*grades, *without))


def _refuse_lost_zeros(students: Iterable[str], roster: Sequence[str] | None) -> None:
    unlisted_names = set(students) - set(roster or students)
    if lost := find_lost_zeros(sorted(unlisted_names), roster or ()):
        raise UsageError(
            f"the results are about {lost[0]!r} and the roster about {lost[1]!r}: {LOST_ZEROS}"
        )


def _check_names(
    rules: GradingRules, exercises: Collection[str], students: Collection[str]
) -> None:
    for (student, exercise), override in rules.overrides.items():
        if student not in students:
            raise UsageError(f"{override.where} names a student {student!r} without results")
        if exercise not in exercises:
            raise UsageError(f"{override.where} names an exercise {exercise!r} without verdicts")
    for student, _ in rules.schedule.extensions if rules.schedule is not None else ():
        if rules.roster is not None and student not in rules.roster:
            raise UsageError(f"the schedule extends for {student!r}, who is not on the roster")


def _refuse_one_time(
    schedule: Schedule, exercises: Iterable[str], reports: Mapping[tuple[str, str], Report]
) -> None:
    for exercise in exercises:
        reports_of_exercise = {
            student: report for (student, name), report in reports.items() if name == exercise
        }
        times = (
            (student, report.time) for student, report in reports_of_exercise.items() if report.time
        )
        if schedule.find_window("", exercise).due is not None and are_at_once(times):
            raise UsageError(
                f"all {len(reports_of_exercise)} submissions to {exercise!r} have one time, which "
                f"is that of a download or a copy; {_TIMES_ADVICE}"
            )


def _grade_report(
    report: Report, max_points: int, rules: GradingRules, override: Override | None
) -> CourseGrade:
    """Return the manual grade, or the verdict's points minus the late penalty."""
    points = 0.0 if report.outcome in (NOT_SUBMITTED, NOT_GRADED) else None
    days, rule = 0, LateRule()
    if report.verdict is not None:
        points, max_points = float(report.verdict.score), report.verdict.max_score
        if rules.schedule is not None and points:
            rule = rules.schedule.find_window(report.student or "", report.exercise)
            days = _count_late_days(report, rule, rules.schedule)
    if override is not None and override.points is not None and override.points > max_points:
        raise UsageError(
            f"{override.where} gives {report.student!r} {override.points:g} points in "
            f"{report.exercise!r}, which has {max_points}"
        )
    return compute_grade(points, max_points, rule=rule, days=days, override=override)


def _count_late_days(report: Report, rule: LateRule, schedule: Schedule) -> int:
    """Return how many days late a submission is; a late mark without a time counts as one.

    Raises:
        UsageError: The time is needed but unknown.
    """
    time = report.time or SubmissionTime()
    if rule.due is None or time.at is not None:
        return rule.count_late_days(time.at)
    if time.is_file_date:
        raise UsageError(f"the time of {report.file} is unknown; {_TIMES_ADVICE}")
    if time.is_late and schedule.find_extension(report.student or "", report.exercise) is not None:
        raise UsageError(
            f"{report.student!r} has an extension for {report.exercise!r}, and {time.source} marks "
            f"the submission as late without a time; {_TIMES_ADVICE}"
        )
    return int(time.is_late)


def name_unlisted_students(batch: Batch, roster: Sequence[str]) -> str:
    """Name the students who have results but are not on the roster, or return ""."""
    return join_first(sorted({report.student or "" for report in batch} - set(roster)), 5)
