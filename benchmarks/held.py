"""The longest time for which a hostile submission keeps a grader from the next one."""

import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks import hostile
from benchmarks.commands import in_fresh_process
from benchmarks.pools import open_without_spare
from benchmarks.result_tables import Aim, Section
from benchmarks.workload import require_passed
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool

_WARM_UP = 10

_NOTES = """\
- One worker. Each submission is followed by a right one, which had to pass.
- held: from the moment that it was handed to the worker until the verdict on the next, less what
  such a one takes alone. A worker that was ended is replaced in that time.
- over: held beyond what the exercise allows: {limit:g} s, and as much again after a time-out for
  the next test, twice at most.
"""

_numbers = count()


@dataclass(frozen=True, slots=True)
class _Held:
    """How long a submission kept the grader."""

    outcome: str
    seconds: float
    over: float  # of these, beyond what the exercise allows


def measure(*, quick: bool) -> Section:
    """Grade each hostile submission, three times in a full run, and take the longest time."""
    longest = in_fresh_process(_hold, 1 if quick else 3)
    return Section(
        "held: what a hostile submission costs the next one",
        ("submission", "outcome", "held s", "over s"),
        [
            (name, held.outcome, f"{held.seconds:.2f}", f"{held.over:.2f}")
            for name, held in longest.items()
        ],
        _NOTES.format(limit=hostile.LIMIT),
        [
            Aim(
                "held: longest, beyond the limit",
                max(each.over for each in longest.values()),
                2,
                "s",
            )
        ],
    )


def _hold(rounds: int) -> dict[str, _Held]:
    exercise = load_exercise_file(hostile.EXERCISE)
    longest: dict[str, _Held] = {}
    with WorkerPool(1, open_without_spare) as pool:
        usual = median(_seconds(pool, exercise) for _ in range(_WARM_UP))
        for name in list(hostile.SUBMISSIONS) * rounds:
            begin = time.perf_counter()
            jobs = [_job(exercise, hostile.SUBMISSIONS[name]), _job(exercise, hostile.SOLUTION)]
            (_, result), (_, right) = pool.grade(jobs)
            require_passed(right)
            held = _held(result, time.perf_counter() - begin - usual)
            longest[name] = max(held, longest.get(name, held), key=lambda each: each.seconds)
    return longest


def _held(result: Result, seconds: float) -> _Held:
    if not isinstance(result, Verdict):
        return _Held(f"fault: {result}", seconds, max(seconds - hostile.LIMIT, 0))
    time_outs = sum(test.outcome is Outcome.TIMED_OUT for test in result.tests)
    return _Held(result.outcome.value, seconds, max(seconds - hostile.LIMIT * max(time_outs, 1), 0))


def _seconds(pool: WorkerPool, exercise: Exercise) -> float:
    begin = time.perf_counter()
    for _, result in pool.grade([_job(exercise, hostile.SOLUTION)]):
        require_passed(result)
    return time.perf_counter() - begin


def _job(exercise: Exercise, source: str) -> Job:
    data = f"{source}\n# {next(_numbers)}\n".encode()
    return Job(exercise, Submission.from_bytes(Path("f.py"), data))
