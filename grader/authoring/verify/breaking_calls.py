"""Search for small calls that break the programs of misconceptions, as notes for authors."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from grader.authoring.verify.check_names import REJECTED
from grader.authoring.verify.locations import Locations
from grader.authoring.verify.proof import Proof, ProofFinding
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.grading.jobs import BreakingJob
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool

_SMALL: Final = 6  # most numbers in a call that a learner can be expected to find


def with_breaking_calls(proofs: Mapping[Path, Proof], pool: WorkerPool) -> dict[Path, Proof]:
    """Return the proofs with notes on misconceptions that no small call breaks."""
    noted = dict(proofs)
    for path, proof in proofs.items():
        if proof.status in ("proven", "not proven"):
            notes = find_breaking_notes(load_exercise_file(path), pool)
            noted[path] = replace(proof, notes=(*notes, *proof.notes))
    return noted


def find_breaking_notes(exercise: Exercise, pool: WorkerPool) -> Iterable[ProofFinding]:
    """Yield notes on misconceptions that no call breaks, wrong `breakable` keys, large calls."""
    if exercise.kind not in ("write", "fix"):
        return
    jobs = [
        BreakingJob(exercise, Submission.from_program(exercise, each.code), call="", tag=each)
        for each in exercise.misconceptions
    ]
    places, large = Locations(exercise), dict[str, int]()
    for job, result in pool.grade(jobs):
        example = result.example if isinstance(result, Verdict) else None
        misconception, call = job.tag, "" if example is None else example.code
        name, message = f"misconception '{misconception.id}'", ""
        if not call and misconception.breakable:
            message = f"a search finds no call that breaks {name}, so set 'breakable: false'"
        elif call and not misconception.breakable:
            message = f"{name} has 'breakable: false', but this breaks it: {call}"
        elif (count := _count_numbers(call)) > _SMALL:
            large[misconception.id] = count
        if message:
            yield ProofFinding.at(REJECTED, message, places.misconception(misconception.id))
    if large:
        names = ", ".join(f"{name} ({count})" for name, count in large.items())
        message = f"{len(large)} of {len(jobs)} misconceptions are broken by no call of at most "
        message += f"{_SMALL} numbers that a search finds; those need more: {names}"
        yield ProofFinding.at(REJECTED, message, places.misconception(next(iter(large))))


def _count_numbers(call: str) -> int:
    nodes = ast.walk(ast.parse(call))
    return sum(isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) for n in nodes)
