"""Comparison of two versions of an exercise by their verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, UsageError
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import FAULT
from grader.grading.submissions.read_submission import read_submission
from grader.grading.workers.pool import WorkerPool
from grader.grading.workers.submissions_folder import Entry, Plan, find_submissions


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """The verdicts on one student's file before and after a change."""

    entry: Entry
    before: Result
    after: Result

    @property
    def is_change(self) -> bool:
        """True if outcome or score changed, or if a version has no verdict."""
        return describe_verdict(self.before) != describe_verdict(self.after)


def describe_verdict(result: Result) -> str:
    """Summarise a verdict in a few words."""
    if isinstance(result, EtudeError):
        return FAULT
    return f"{result.outcome}, {result.score} of {result.max_score}"


def list_changed_tests(change: VerdictChange) -> list[str]:
    """Name the tests in both versions whose outcomes differ."""
    if not (isinstance(change.before, Verdict) and isinstance(change.after, Verdict)):
        return []
    after = {test.id: test.outcome for test in change.after.tests}
    return [
        f"{test.id}: {test.outcome} -> {after[test.id]}"
        for test in change.before.tests
        if test.id in after and after[test.id] is not test.outcome
    ]


def compare_versions(
    before: Exercise, after: Exercise, folder: Path, pool: WorkerPool
) -> Iterator[VerdictChange]:
    """Grade every `<student>/<exercise>.py` in a folder by both versions.

    Raises:
        UsageError: The folder has no submissions to the exercise.
    """
    entries = [
        entry for entry, _ in find_submissions(folder, [before.id], lambda _: before, Plan())
    ]
    if not entries:
        raise UsageError(f"there is no <student>/{before.file_name} in {folder}")
    submissions = [
        read_submission(entry.path, before.files_to_submit, below=folder).part_for(before)
        for entry in entries
    ]
    jobs = {
        (version.digest, submission.digest): Job(version, submission)
        for version in (before, after)
        for submission in submissions
    }
    results = {
        (job.exercise.digest, job.submission.digest): result
        for job, result in pool.grade(iter(jobs.values()))
    }
    for entry, submission in zip(entries, submissions, strict=True):
        first, second = (results[version.digest, submission.digest] for version in (before, after))
        yield VerdictChange(entry, first, second)
