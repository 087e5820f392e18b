"""A search for small calls that break the programs of misconceptions: notes for authors."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from grader.authoring.verify.checks import REJECTED
from grader.authoring.verify.locations import Locations
from grader.authoring.verify.proof import Proof, ProofFinding
from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise, Misconception
from grader.grading.results.jobs import Job, Probe
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Verdict
from grader.grading.workers.pool import Pool

_SMALL: Final = 6
"""The most numbers of a call that a learner can be expected to find."""


def with_breaking_calls(proofs: Mapping[Path, Proof], pool: Pool) -> dict[Path, Proof]:
    """Return proofs with notes on the misconceptions that no small call breaks."""
    noted = dict(proofs)
    for path, proof in proofs.items():
        if proof.status in ("proven", "not proven"):
            notes = notes_on_breaking_calls(load_exercise(path), pool)
            noted[path] = replace(proof, notes=(*proof.notes, *notes))
    return noted


def notes_on_breaking_calls(exercise: Exercise, pool: Pool) -> Iterable[ProofFinding]:
    """Yield a note on each misconception that learners cannot break, and on each wrongly kept."""
    if exercise.kind not in ("write", "fix"):
        return
    path, probe = Path(exercise.path_name), Probe(breaks="")
    jobs = [
        Job(exercise, Submission.from_bytes(path, each.code.encode()), probe=probe)
        for each in exercise.misconceptions
    ]
    misconception_of = dict(zip(map(id, jobs), exercise.misconceptions, strict=True))
    places = Locations(exercise)
    for job, result in pool.grade(jobs):
        example = result.example if isinstance(result, Verdict) else None
        misconception = misconception_of[id(job)]
        for message in _messages(misconception, "" if example is None else example.code):
            yield ProofFinding.at(REJECTED, message, places.misconception(misconception.id))


def _messages(misconception: Misconception, call: str) -> Iterator[str]:
    name = f"misconception '{misconception.id}'"
    if not call and misconception.breakable:
        yield f"a search finds no call that breaks {name}, so set 'breakable: false'"
    elif call and not misconception.breakable:
        yield f"{name} has 'breakable: false', but this breaks it: {call}"
    elif call:
        nodes = [node for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Constant)]
        if (count := sum(isinstance(node.value, (int, float)) for node in nodes)) > _SMALL:
            yield f"the smallest call that a search finds to break {name} has {count} numbers"
