"""Real exercises: right and wrong answers, and a folder of every kind of file."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from statistics import mean, median
from typing import Final

from benchmarks.pools import Meter, open_with_spare
from benchmarks.result_tables import Aim, Block, Row, Section, ms
from benchmarks.workload import WrongVerdictError, exercises, new_jobs, require_passed
from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.files import default_folder
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool

_ONE: Final = "attention-weights"
_QUICK_STEP: Final = 8  # a quick run takes one exercise in this many

_NOTES = """\
- CPU of all processes of `etude grade --jobs 1`, per submission; a block has {block} of them.
- ratio: to a submission of 12 calls, as in the sections above, in the same pool, by turns.
- {one}: 82 calls. right: the solution, each with a comment of its own, in a session that has seen
  one. wrong: its misconceptions, likewise; each has a diagnosis.
- solutions of {count} exercises, {repeats} times each, after a first one.
- mixed folder: {files} files, each once: solution, starter and every misconception of these
  exercises, in a new session. Expected values, wrong programs of the diagnosis and everything else
  is computed for the first time.
"""

_numbers = count()


def measure(*, quick: bool) -> Section:
    """Measure one exercise and all of them, beside the exercise of the other sections."""
    block, rounds, repeats = (10, 2, 5) if quick else (20, 8, 15)
    every = Collection.load(default_folder()).exercises
    one = next(each for each in every if each.id == _ONE)
    chosen = list(every)[:: _QUICK_STEP if quick else 1]
    with WorkerPool(1, open_with_spare) as pool:
        meter = _Meter(pool)
        base, right, wrong = meter.by_turns(one, block, rounds)
        solutions = {each.id: meter.repeated(each, repeats) for each in chosen}
    with WorkerPool(1, open_with_spare) as pool:
        files = [job for each in chosen for job in _files(each)]
        mixed = _Meter(pool).cpu(files, _require_verdict)
    dearest = max(solutions, key=lambda name: solutions[name])
    found = {
        "12 calls": base,
        f"{_ONE}, right": right,
        f"{_ONE}, wrong": wrong,
        "solutions, median": median(solutions.values()),
        "solutions, mean": mean(solutions.values()),
        f"dearest: {dearest}": solutions[dearest],
        "mixed folder, a file": mixed / len(files),
    }
    rows: list[Row] = [(name, ms(cpu), f"{cpu / base:.2f}") for name, cpu in found.items()]
    notes = _NOTES.format(
        block=block, one=_ONE, count=len(chosen), repeats=repeats, files=len(files)
    )
    aims = [
        Aim(f"{_ONE}: CPU of a right answer", right * 1000, 12, "ms"),
        Aim("mean over solutions: CPU", found["solutions, mean"] * 1000, 14, "ms"),
    ]
    if not quick:
        aims.append(Aim(f"mixed folder of {len(files)} files: CPU", mixed, 40, "s"))
    header = ("submission", "CPU ms", "ratio")
    return Section("real: exercises as they are", header, rows, notes, aims)


class _Meter:
    def __init__(self, pool: WorkerPool) -> None:
        self._meter = Meter(pool)

    def cpu(self, jobs: Sequence[Job], check: Callable[[Result], None] = require_passed) -> float:
        """Grade jobs and return the CPU seconds of all together."""
        self._meter.grade(jobs, check)
        last: Block = self._meter.blocks[-1]
        return last.cpu

    def by_turns(self, one: Exercise, block: int, rounds: int) -> list[float]:
        """Return the CPU seconds of a submission of 12 calls, of a right and of a wrong answer."""
        (small,) = exercises(1)
        wrong = [each.code for each in one.misconceptions]
        kinds: list[tuple[Callable[[int], list[Job]], Callable[[Result], None]]] = [
            (lambda number: list(new_jobs(small, number)), require_passed),
            (lambda number: _jobs(one, [one.solution] * number), require_passed),
            (
                lambda number: _jobs(one, (wrong * number)[: max(number, len(wrong))]),
                _require_verdict,
            ),
        ]
        found: list[list[float]] = [[] for _ in kinds]
        for turn in range(rounds + 1):
            for place, (make, check) in zip(found, kinds, strict=True):
                jobs = make(block)
                cpu = self.cpu(jobs, check) / len(jobs)
                if turn:  # what is computed once was computed in the first
                    place.append(cpu)
        return [median(each) for each in found]

    def repeated(self, exercise: Exercise, number: int) -> float:
        """Return the CPU seconds of a solution after the first."""
        self.cpu(_jobs(exercise, [exercise.solution]))
        return self.cpu(_jobs(exercise, [exercise.solution] * number)) / number


def _files(exercise: Exercise) -> Iterator[Job]:
    misconceptions = (each.code for each in exercise.misconceptions)
    for source in (exercise.solution, exercise.starter, *misconceptions):
        yield Job(exercise, _submission(source))


def _jobs(exercise: Exercise, sources: Sequence[str]) -> list[Job]:
    """Return submissions that differ in a comment, so that none is graded for two."""
    numbered = zip(sources, _numbers, strict=False)
    return [Job(exercise, _submission(f"{each}\n# {number}\n")) for each, number in numbered]


def _submission(source: str) -> Submission:
    return Submission.from_bytes(Path("submission.py"), source.encode())


def _require_verdict(result: Result) -> None:
    if not isinstance(result, Verdict):
        raise WrongVerdictError(f"a file got no verdict: {result}")
