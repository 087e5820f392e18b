"""Problems of imported exercises in plain sentences, from the runs that prove an exercise.

An exercise with untrue expected outputs is proven twice: as it came, which shows what is untrue,
and with the truth in their place, which shows what else is wrong with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader.authoring.importing.draft import Draft
from grader.authoring.verify import checks, variants
from grader.authoring.verify.proof import Proof, ProofFinding
from grader.authoring.verify.prove import prove
from grader.authoring.verify.session import FindLeaks, with_findings
from grader.authoring.verify.variants import VariantRun
from grader.definitions.exercise import (
    Exercise,
    FromSolution,
    LiteralValue,
    TestCase,
    TestId,
)
from grader.errors import EtudeError
from grader.grading.comparison.printed_text import compare_text
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.grading.workers.pool import Pool

_SOLUTION, _OWN, _CHANGING = "solution", "own solution", "solution that changes inputs"
_BRACKETS: Final = re.compile(r"\barray\(|[][(),]")
_UNDEFINED: Final = re.compile(r"name '(\w+)' is not defined")
_SURVIVOR: Final = re.compile(
    r"accepts a mutant of the solution, (.*?); add a hidden test that it fails", re.DOTALL
)
# A sentence begins with the error, or has an explanation and quotes the error at its end.
_CRASHES: Final = (
    re.compile(
        r"the starter does not run: (?P<error>\w+(?:: .*?)?) \(line (?P<line>\d+)", re.DOTALL
    ),
    re.compile(
        r"the starter does not run: Line (?P<line>\d+).*\((?P<error>\w+: .*)\) Learners", re.DOTALL
    ),
)


@dataclass(slots=True)
class ImportProof:
    """One imported exercise, and what its author should hear; `faults` are ours, not theirs."""

    exercise: Exercise
    sentences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    works: bool = False  # the solution passes every test as it was imported, or so corrected:
    changing: frozenset[str] = frozenset()  # tests in which the solution changes an argument
    printed: dict[str, str] = field(default_factory=dict)
    """By test, what the solution prints where the source has it with other brackets and commas."""

    @property
    def proven(self) -> bool:
        """Return whether nothing stands in the way."""
        return not self.sentences and not self.faults


def verify_imported(
    imported: Mapping[Path, tuple[Draft, Exercise]],
    pool: Pool,
    find_leaks: FindLeaks | None = None,
    advance: Callable[[], None] = lambda: None,
) -> dict[Path, ImportProof]:
    """Put imported exercises to the proof; everything of theirs runs in the sandbox.

    Args:
        imported: by the path of its file each draft, and the exercise that it became.
        pool: runs the programs.
        find_leaks: looks for hidden things on the pages.
        advance: is called for each exercise that is done.

    Raises:
        SandboxFault: there is no sandbox on this host.
    """
    exercises = [exercise for _, exercise in imported.values()]
    wait_for_leaks = find_leaks(exercises) if find_leaks else dict
    first = _first_runs(imported, pool)
    corrected = {path: _corrected(pair[1], first[path]) for path, pair in imported.items()}
    proofs: dict[Path, Proof] = {}
    for exercise, proof in prove(corrected.values(), pool):
        proofs[exercise.where.path] = proof
        advance()
    leaks = wait_for_leaks()
    return {
        path: _examined(pair, first[path], with_findings(proofs[path], leaks.get(path, ())))
        for path, pair in imported.items()
    }


def _first_runs(
    imported: Mapping[Path, tuple[Draft, Exercise]], pool: Pool
) -> dict[Path, dict[str, Result]]:
    """Run each solution as it is, and the source's own where more was put in front of it."""
    asked: dict[int, tuple[Path, str]] = {}
    jobs: list[Job] = []
    results: dict[Path, dict[str, Result]] = {path: {} for path in imported}
    for path, (draft, exercise) in imported.items():
        shown = variants.opened(exercise)
        for run in _of(draft, shown, exercise):
            asked[id(run.job)] = path, run.name
            jobs.append(run.job)
    for job, result in pool.grade(jobs):
        path, name = asked[id(job)]
        results[path][name] = result
    return results


def _of(draft: Draft, shown: Exercise, exercise: Exercise) -> Iterator[VariantRun]:
    yield variants.run_for_evidence(_SOLUTION, shown, exercise.solution)
    yield variants.run(_CHANGING, variants.with_changed_inputs(shown), exercise.solution)
    if draft.own_solution:
        yield variants.run(_OWN, shown, draft.own_solution)


def _changing(results: Mapping[str, Result]) -> frozenset[TestId]:
    """Return the tests that the solution passes only if it may change its arguments."""
    first, other = results[_SOLUTION], results[_CHANGING]
    if isinstance(first, EtudeError) or isinstance(other, EtudeError):
        return frozenset()
    passed = {each.id for each in other.tests if each.outcome is Outcome.PASSED}
    failed = {each.id for each in first.tests if each.outcome is not Outcome.PASSED}
    return frozenset(passed & failed)


def _untrue(exercise: Exercise, result: Result) -> list[tuple[TestCase, TestResult]]:
    """Return the tests whose written answers are not what the solution gives."""
    if isinstance(result, EtudeError) or result.message:
        return []
    by_id = {test.id: test for test in exercise.tests}
    lies = {each.test for each in result.evidence.untrue} if result.evidence else set()
    return [
        (by_id[each.id], each)
        for each in result.tests
        if (each.outcome is Outcome.FAILED and _is_written(by_id[each.id])) or each.id in lies
    ]


def _is_written(test: TestCase) -> bool:
    return isinstance(test.expect, LiteralValue) or test.stdout is not None


def _corrected(exercise: Exercise, results: Mapping[str, Result]) -> Exercise:
    """Return the exercise with what the solution gives in place of what is untrue."""
    if changing := _changing(results):
        exercise = variants.with_changed_inputs(exercise, changing)
    untrue = {test.id for test, _ in _untrue(exercise, results[_SOLUTION])}
    if not untrue:
        return exercise
    tests = tuple(
        test.expecting(FromSolution()) if test.id in untrue else test for test in exercise.tests
    )
    return variants.variant(exercise, "corrected", tests=tests)


def _examined(
    pair: tuple[Draft, Exercise], first: Mapping[str, Result], proof: Proof
) -> ImportProof:
    exercise = pair[1]
    found = ImportProof(exercise)
    result = first[_SOLUTION]
    if isinstance(result, EtudeError) or proof.status == "fault":
        target = found.faults if proof.status == "fault" else found.sentences
        target += [each.message for each in proof.findings] or [str(result)]
        return found
    found.sentences += _needs_starter(first.get(_OWN))
    said = [each.message for each in proof.findings if each.check == checks.CALLS]
    uncalled = {test.id for test in exercise.tests if any(f"'{test.id}'" in one for one in said)}
    for test, outcome in _untrue(exercise, result):
        if test.compared == "text" and _is_alike(test.stdout or "", outcome.output):
            found.printed[test.id] = outcome.output
        else:
            found.sentences += _lies(test, outcome, result, is_own=test.id in uncalled)
    found.changing = _changing(first)
    found.works = not result.message and all(
        each.outcome is Outcome.PASSED or each.id in {*found.printed, *found.changing}
        for each in result.tests
    )
    found.sentences += _crashes(proof.findings, exercise)
    apart = (checks.STARTER, checks.MUTANTS)
    found.sentences += [each.message for each in proof.findings if each.check not in apart]
    found.sentences += _survivors(proof.findings)
    found.notes += [each.message for each in proof.notes if each.check not in apart]
    return found


def _needs_starter(own: Result | None) -> Iterator[str]:
    """Yield a sentence if the solution of the source does not run without the starter."""
    if not isinstance(own, Verdict) or own.outcome is Outcome.PASSED:
        return
    messages = [own.message, *(each.message for each in own.tests)]
    missing = next(filter(None, map(_UNDEFINED.search, messages)), None)
    if missing:
        yield (
            f"the source's solution needs `{missing[1]}`, which only the starter defines: alone it "
            f"ends with NameError: {missing[0]}"
        )


def _lies(test: TestCase, outcome: TestResult, verdict: Verdict, *, is_own: bool) -> Iterator[str]:
    if test.compared == "text":
        who = "the test's own program" if is_own else "the solution"
        wrong = _block(test.stdout or "")
        yield (
            f"the expected output of test '{test.id}' is wrong. It says\n{wrong}\n"
            f"and {who} prints\n{_block(outcome.output)}"
        )
        return
    untrue = verdict.evidence.untrue if verdict.evidence else ()
    said = next((each.message for each in untrue if each.test == test.id), outcome.message)
    yield f"the expected value of test '{test.id}' is wrong: {said}"


def _is_alike(written: str, printed: str) -> bool:
    """Return whether two outputs differ in brackets and commas at most: `[1., 2.]`, `[1. 2.]`."""
    one, other = (" ".join(_BRACKETS.sub(" ", text).split()) for text in (written, printed))
    return bool(one) and compare_text(one, other) is None


def _crashes(findings: Sequence[ProofFinding], exercise: Exercise) -> Iterator[str]:
    """Yield a sentence if the starter crashes, with the line."""
    for each in findings:
        if each.check != checks.STARTER:
            continue
        matches = (pattern.match(each.message) for pattern in _CRASHES)
        found = next((match for match in matches if match), None)
        lines = exercise.starter.split("\n")
        if found is None or not 0 < int(found["line"]) <= len(lines):
            yield each.message
            continue
        line = int(found["line"])
        yield (
            f"the starter crashes before anything is written into it: its own line {line}, "
            f"`{lines[line - 1].strip()}`, raises {found['error']}. Take the lines out that try it"
        )


def _survivors(findings: Iterable[ProofFinding]) -> Iterator[str]:
    """Yield one sentence that lists the mutants that no hidden test rejects."""
    changes = [found[1] for each in findings if (found := _SURVIVOR.search(each.message))]
    if changes:
        noun = "a mutant" if len(changes) == 1 else f"{len(changes)} mutants"
        yield f"the hidden tests accept {noun} of the solution:\n" + "\n".join(
            f"    {change}" for change in changes
        )


def _block(text: str) -> str:
    lines = text.rstrip("\n").split("\n") or [""]
    return "\n".join(f"    {line}" for line in lines)
