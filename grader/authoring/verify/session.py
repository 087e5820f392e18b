"""One run of `etude verify`: cached proofs, definitions to load, exercises to prove."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from grader.authoring.lint.rules.markdown_style import unshowable_text
from grader.authoring.targets import TargetGroup
from grader.authoring.verify.checks import LINT, NO_PAGE
from grader.authoring.verify.proof import Proof, ProofFinding
from grader.authoring.verify.proof_cache import ProofCache
from grader.definitions.course import load_course
from grader.definitions.files import course_file, exists, id_in_name, read_file
from grader.definitions.images import MOST_BYTES, image_files
from grader.errors import DefinitionError, Problem, UsageError

if TYPE_CHECKING:
    from grader.authoring.lint.run import LintReport
    from grader.definitions.exercise import Exercise
    from grader.grading.workers.pool import Pool

Leaks: TypeAlias = Mapping[Path, Sequence[ProofFinding]]
FindLeaks: TypeAlias = Callable[[Sequence["Exercise"]], Callable[[], Leaks]]
"""Begins to look for leaks in exercises; what it returns waits for the findings."""


@dataclass(slots=True)
class ProofSession:
    """The exercises of a run: `proofs` has those that are settled, `to_prove` those to run.

    Every proof is under the path of its file, in the order of the targets.
    """

    proofs: dict[Path, Proof | None] = field(default_factory=dict)
    to_prove: "list[Exercise]" = field(default_factory=list)
    contents: dict[Path, list[bytes]] = field(default_factory=dict)

    def settled(self) -> dict[Path, Proof]:
        """Return the proofs that there are."""
        return {path: proof for path, proof in self.proofs.items() if proof is not None}


def begin(groups: Iterable[TargetGroup], cache: ProofCache | None) -> ProofSession:
    """Take from the cache what it knows, and load the rest.

    Raises:
        UsageError: A file cannot be read, or a student edition was named.
    """
    session = ProofSession()
    for group in groups:
        contents = {path: [_read(path), *_of_course(path), *_images(path)] for path in group.files}
        session.contents |= contents
        for path, content in contents.items():
            session.proofs[path] = cache.find(content) if cache else None
        unknown = [path for path in group.files if session.proofs[path] is None]
        if group.track is None:
            _load_each(session, unknown)
            continue
        texts = [text for content in contents.values() for text in content]
        whole = [_read(group.track), *texts, *(p.name.encode() for p in group.files)]
        if unknown or cache is None or cache.find(whole) is None:
            _load_track(session, group.track, unknown)
            settled = [proof for path in contents if (proof := session.proofs[path])]
            is_sound = all(proof.status != "invalid" for proof in settled)
            if cache is not None and is_sound and group.track not in session.proofs:
                cache.keep(whole, Proof(group.track.parent.name, "", "proven"))
    return session


def _read(path: Path) -> bytes:
    try:
        return read_file(path)
    except DefinitionError:  # it is told when the file is loaded
        return b""


def _of_course(exercise: Path) -> list[bytes]:
    """Return the digest of an exercise's course and data; a text of its own if not valid."""
    path = course_file(exercise)
    try:
        if b"files:" in _read(exercise):
            from grader.definitions.collection import load_exercise

            return [load_exercise(exercise).digest.encode()]
        return [load_course(path).digest.encode()] if exists(path) else []
    except DefinitionError:  # it is told when the file is loaded
        return [b"not valid"]


def _images(exercise: Path) -> Iterator[bytes]:
    """Yield the images of an exercise; no page of it can be made while one is missing."""
    try:
        paths = [*image_files(exercise)]
    except DefinitionError:  # it is told when the file is loaded
        return
    for path in paths:
        with contextlib.suppress(UsageError, DefinitionError):
            yield read_file(path, MOST_BYTES)


def _load_each(session: ProofSession, paths: Iterable[Path]) -> set[Problem]:
    """Load files one by one; return what is wrong in them."""
    from grader.definitions.collection import load_exercise  # not if all is known

    problems: set[Problem] = set()
    for path in paths:
        try:
            _add(session, path, load_exercise(path))
        except DefinitionError as error:
            session.proofs[path] = _invalid(id_in_name(path), error.problems, path)
            problems.update(error.problems)
    return problems


def _load_track(session: ProofSession, track: Path, unknown: Sequence[Path]) -> None:
    from grader.definitions.collection import load_track  # not if all is known

    try:
        exercises = load_track(track).exercises
    except DefinitionError as error:
        own = _load_each(session, unknown)
        between = [problem for problem in error.problems if problem not in own]
        if between:
            session.proofs[track] = _invalid(track.parent.name, between, track)
        return
    by_path = {exercise.where.path: exercise for exercise in exercises}
    for path in unknown:
        _add(session, path, by_path[path])


def _add(session: ProofSession, path: Path, exercise: "Exercise") -> None:
    if exercise.edition == "student":
        raise UsageError(
            f"{path} is a student edition; verify the full one, "
            "or name your course with --exercises"
        )
    session.to_prove.append(exercise)


def _invalid(name: str, problems: Iterable[Problem], path: Path) -> Proof:
    result = tuple(
        ProofFinding.at("definition", problem.message, problem.where)
        if problem.where.path == path
        else ProofFinding("definition", f"{problem.where}: {problem.message}")
        for problem in problems
    )
    return Proof(name, "", "invalid", result)


def finish(
    session: ProofSession,
    pool: "Pool",
    find_leaks: FindLeaks | None,
    cache: ProofCache | None,
) -> Iterator[Path]:
    """Prove what is left, and yield the path of each as it is done."""
    from grader.authoring.verify.prove import prove  # not if all is known

    wait_for_leaks = find_leaks(session.to_prove) if find_leaks else dict
    for exercise, proof in prove(session.to_prove, pool):
        session.proofs[exercise.where.path] = proof
        yield exercise.where.path
    leaks: Leaks = wait_for_leaks()
    for exercise in session.to_prove:
        path = exercise.where.path
        proof = with_findings(session.proofs[path], leaks.get(path, ()))
        session.proofs[path] = proof
        if cache is not None:
            cache.keep(session.contents[path], proof)


def with_findings(proof: Proof | None, more: Sequence[ProofFinding]) -> Proof:
    """Add findings to a proof, which then is none."""
    assert proof is not None  # for the type checker
    if not more or proof.status in ("invalid", "fault"):
        return proof
    return replace(proof, status="not proven", findings=(*proof.findings, *more))


def add_lint_errors(session: ProofSession, report: "LintReport") -> None:
    """Add the errors that lint found: an exercise is proven if it has none.

    They are in no cached proof, since they may depend on other files. What is wrong with a track's
    file or with a lesson is found under that file.
    """
    errors: dict[Path, list[ProofFinding]] = {}
    for each in report.findings:
        if each.rule.level == "error":
            message = f"{each.rule.code}: {each.message}"
            errors.setdefault(each.where.path, []).append(
                ProofFinding.at(LINT, message, each.where)
            )
    for path, messages in errors.items():
        proof = session.proofs.get(path)
        if proof is None or proof.status not in ("invalid", "fault"):
            proof = proof or Proof(id_in_name(path), "", "not proven")
            if any(unshowable_text.code in each.message for each in messages):
                # Lint says it at its place; that no page can be made follows from it.
                rest = tuple(f for f in proof.findings if not f.message.startswith(NO_PAGE))
                proof = replace(proof, findings=rest)
            session.proofs[path] = with_findings(proof, messages)
