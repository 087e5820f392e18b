"""One run of `etude verify`: proofs from the cache, then those of the other exercises."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from grader.authoring.lint.lint_report import LintReport
from grader.authoring.lint.load import LoadedFiles
from grader.authoring.lint.rules.markdown import unshowable_text
from grader.authoring.targets import TargetGroup
from grader.authoring.verify.check_names import LEAKS, LINT
from grader.authoring.verify.proof import Proof, ProofFinding, invalid_proof
from grader.authoring.verify.proof_cache import ProofCache
from grader.authoring.verify.prove import prove
from grader.definitions.exercise import Exercise
from grader.definitions.files import id_in_name, read_file
from grader.definitions.images import MAX_BYTES, image_files
from grader.errors import DefinitionError, Problem, UsageError
from grader.grading.workers.pool import WorkerPool

Leaks: TypeAlias = Mapping[Path, Sequence[ProofFinding]]
FindLeaks: TypeAlias = Callable[[Sequence[Exercise]], Callable[[], Leaks]]
"""Starts the search for leaks in exercises; the returned function waits for the findings."""


@dataclass(slots=True)
class Verification:
    """The exercises of a run: finished ones in `proofs`, pending ones in `to_prove`.

    Proofs are stored by the path of their file, in the order of the targets.
    """

    proofs: dict[Path, Proof | None] = field(default_factory=dict)
    to_prove: list[Exercise] = field(default_factory=list)
    contents: dict[Path, list[bytes]] = field(default_factory=dict)

    def select_finished(self) -> dict[Path, Proof]:
        """Return the finished proofs."""
        return {path: proof for path, proof in self.proofs.items() if proof is not None}


def begin_verification(
    groups: Iterable[TargetGroup], definitions: LoadedFiles, cache: ProofCache | None
) -> Verification:
    """Take proofs from the cache, and collect the other exercises to prove.

    Raises:
        UsageError: A student edition was named.
    """
    verification = Verification()
    for group in groups:
        file_problems: set[Problem] = set()  # also listed under the track's file
        for path in group.files:
            if path in definitions.invalid:
                problems = definitions.invalid[path]
                verification.proofs[path] = invalid_proof(id_in_name(path), path, problems)
                file_problems.update(problems)
                continue
            exercise = definitions.exercises[path]
            if exercise.edition == "student":
                raise UsageError(
                    f"{path} is a student edition; verify the full one, "
                    "or name your course with --exercises"
                )
            verification.contents[path] = content = [exercise.digest.encode(), *_read_images(path)]
            verification.proofs[path] = cache.find(content) if cache else None
            if verification.proofs[path] is None:
                verification.to_prove.append(exercise)
        track = group.track
        if track is not None:
            track_problems = definitions.invalid.get(track, ())
            if problems := [problem for problem in track_problems if problem not in file_problems]:
                verification.proofs[track] = invalid_proof(track.parent.name, track, problems)
    return verification


def _read_images(exercise: Path) -> Iterator[bytes]:
    """Yield the images of an exercise; a missing one is reported when its page is made."""
    for path in image_files(exercise):
        with contextlib.suppress(UsageError, DefinitionError):
            yield read_file(path, MAX_BYTES)


def prove_pending(
    verification: Verification,
    pool: WorkerPool,
    find_leaks: FindLeaks | None,
    cache: ProofCache | None,
) -> Iterator[Path]:
    """Prove the pending exercises, and yield the path of each one that is done."""
    wait_for_leaks = find_leaks(verification.to_prove) if find_leaks else dict
    proofs: dict[Path, Proof] = {}
    for exercise, proof in prove(verification.to_prove, pool):
        proofs[exercise.where.path] = proof
        yield exercise.where.path
    leaks: Leaks = wait_for_leaks()
    for path, proof in proofs.items():
        verification.proofs[path] = full_proof = _with_findings(proof, leaks.get(path, ()))
        if cache is not None:
            cache.keep(verification.contents[path], full_proof)


def _with_findings(proof: Proof, findings: Sequence[ProofFinding]) -> Proof:
    """Add findings to a proof, so that its status is no longer proven."""
    if not findings or proof.status in ("invalid", "fault"):
        return proof
    return replace(proof, status="not proven", findings=(*proof.findings, *findings))


def add_lint_errors(verification: Verification, report: LintReport) -> None:
    """Add lint errors to the proofs, because an exercise with such errors is not proven.

    The cache does not store them, since they may depend on other files. Problems of a track's file
    or of a lesson are stored under that file.
    """
    all_errors = [finding for finding in report.findings if finding.rule.level == "error"]
    for path in dict.fromkeys(error.where.path for error in all_errors):
        errors = [error for error in all_errors if error.where.path == path]
        proof = verification.proofs.get(path) or Proof(id_in_name(path), "", "not proven")
        if any(error.rule is unshowable_text for error in errors):
            # Lint reports the cause at its place; a page that cannot be made is its consequence.
            others = tuple(finding for finding in proof.findings if finding.check != LEAKS)
            proof = replace(proof, findings=others)
        findings = [
            ProofFinding.at(LINT, f"{error.rule.code}: {error.message}", error.where)
            for error in errors
        ]
        verification.proofs[path] = _with_findings(proof, findings)
