"""The longest time for which a hostile submission keeps a grader from the next one."""

import time
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks import hostile
from benchmarks.commands import in_fresh_process
from benchmarks.pools import open_without_spare
from benchmarks.result_tables import Aim, Row, Section
from benchmarks.workload import require_passed
from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import Pool

_WARM_UP = 10

_NOTES = """\
- One worker. Each submission is followed by a right one, which had to pass.
- held: from the moment that it was handed to the worker until the verdict on the next, less what
  such a one takes alone. A worker that was ended is replaced in that time.
- over: held beyond the exercise's limit of {limit:g} s.
"""

_numbers = count()


def measure(*, quick: bool) -> Section:
    """Grade each hostile submission, three times in a full run, and take the longest time."""
    found = in_fresh_process(_hold, 1 if quick else 3)
    rows = [_row(name, outcome, held) for name, (outcome, held) in found.items()]
    longest = max(held for _, held in found.values()) - hostile.LIMIT
    return Section(
        "held: what a hostile submission costs the next one",
        ("submission", "outcome", "held s", "over s"),
        rows,
        _NOTES.format(limit=hostile.LIMIT),
        [Aim("held: longest, beyond the exercise's limit", longest, 2, "s")],
    )


def _hold(rounds: int) -> dict[str, tuple[str, float]]:
    exercise = load_exercise(hostile.EXERCISE)
    found: dict[str, tuple[str, float]] = {}
    with Pool(1, open_without_spare) as pool:
        usual = median(_seconds(pool, exercise) for _ in range(_WARM_UP))
        for name in list(hostile.SUBMISSIONS) * rounds:
            begin = time.perf_counter()
            jobs = [_job(exercise, hostile.SUBMISSIONS[name]), _job(exercise, hostile.SOLUTION)]
            (_, held), (_, right) = pool.grade(jobs)
            require_passed(right)
            seconds = time.perf_counter() - begin - usual
            found[name] = _outcome(held), max(seconds, found.get(name, ("", 0.0))[1])
    return found


def _seconds(pool: Pool, exercise: Exercise) -> float:
    begin = time.perf_counter()
    for _, result in pool.grade([_job(exercise, hostile.SOLUTION)]):
        require_passed(result)
    return time.perf_counter() - begin


def _job(exercise: Exercise, source: str) -> Job:
    data = f"{source}\n# {next(_numbers)}\n".encode()
    return Job(exercise, Submission.from_bytes(Path("f.py"), data))


def _outcome(result: Result) -> str:
    return result.outcome.value if isinstance(result, Verdict) else f"fault: {result}"


def _row(name: str, outcome: str, held: float) -> Row:
    return name, outcome, f"{held:.2f}", f"{max(held - hostile.LIMIT, 0):.2f}"
