"""Verification of imported exercises, with their problems in plain sentences.

An exercise with wrong expected outputs is proven twice: unchanged, to show which outputs are wrong,
and with corrected outputs, to show its other problems.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader.authoring.importing.draft import Draft
from grader.authoring.verify import checks, variants
from grader.authoring.verify.proof import Proof, ProofFinding
from grader.authoring.verify.prove import prove
from grader.authoring.verify.session import FindLeaks, with_findings
from grader.definitions.exercise import Exercise, FromSolution, LiteralValue, TestCase, TestId
from grader.errors import EtudeError
from grader.grading.comparison.printed_text import compare_text
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.grading.workers.pool import Pool

_SOLUTION, _OWN, _CHANGING = "solution", "own solution", "solution that changes inputs"
# Findings of these checks are worded separately.
_OTHER_CHECKS: Final = (checks.STARTER, checks.MUTANTS)
_BRACKETS: Final = re.compile(r"\barray\(|[][(),]")
_UNDEFINED: Final = re.compile(r"name '(\w+)' is not defined")
_SURVIVOR: Final = re.compile(
    r"accepts a mutant of the solution, (.*?); add a hidden test that it fails", re.DOTALL
)
# The error begins the sentence, or stands in quotes at its end.
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
    """The verification of one imported exercise; `faults` are the grader's, not the author's."""

    exercise: Exercise
    sentences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    # The solution passes every test, unchanged or with corrected outputs.
    works: bool = False
    # Tests in which the solution changes an argument.
    changing: frozenset[str] = frozenset()
    printed: dict[str, str] = field(default_factory=dict)
    """The solution's output by test, if it differs from the source only in brackets and commas."""

    @property
    def proven(self) -> bool:
        """True if the exercise has no problems and no faults."""
        return not self.sentences and not self.faults


def verify_imported(
    imported: Mapping[Path, tuple[Draft, Exercise]],
    pool: Pool,
    find_leaks: FindLeaks | None = None,
    advance: Callable[[], None] = lambda: None,
) -> dict[Path, ImportProof]:
    """Verify imported exercises; all their code runs in the sandbox.

    Args:
        imported: Each draft and its exercise, by the path of the file.
        advance: Called after each exercise.

    Raises:
        SandboxFault: This host has no sandbox.
    """
    exercises = [exercise for _, exercise in imported.values()]
    wait_for_leaks = find_leaks(exercises) if find_leaks else dict
    first = _first_runs(imported, pool)
    corrected = []  # expected outputs replaced by the solution's own
    for path, (_, exercise) in imported.items():
        changing = _changing(first[path])
        changed = variants.with_changed_inputs(exercise, changing) if changing else exercise
        if wrong := {test.id for test, _ in _wrong_tests(changed, first[path][_SOLUTION])}:
            tests = tuple(
                test.with_expected_from(FromSolution()) if test.id in wrong else test
                for test in changed.tests
            )
            changed = variants.make_variant(changed, "corrected", tests=tests)
        corrected.append(changed)
    proofs: dict[Path, Proof] = {}
    for exercise, proof in prove(corrected, pool):
        proofs[exercise.where.path] = proof
        advance()
    leaks = wait_for_leaks()
    return {
        path: _examine(pair[1], first[path], with_findings(proofs[path], leaks.get(path, ())))
        for path, pair in imported.items()
    }


def _first_runs(
    imported: Mapping[Path, tuple[Draft, Exercise]], pool: Pool
) -> dict[Path, dict[str, Result]]:
    """Run each solution, and the source's own one if the draft's has more in front."""
    requests: dict[int, tuple[Path, str]] = {}
    jobs: list[Job] = []
    results: dict[Path, dict[str, Result]] = {path: {} for path in imported}
    for path, (draft, exercise) in imported.items():
        visible, solution = variants.all_visible(exercise), variants.RunGroup.SOLUTION
        runs = [
            variants.plan_with_evidence(solution, _SOLUTION, visible, exercise.solution),
            variants.plan(
                solution, _CHANGING, variants.with_changed_inputs(visible), exercise.solution
            ),
        ]
        if draft.own_solution:
            runs.append(variants.plan(solution, _OWN, visible, draft.own_solution))
        for run in runs:
            requests[id(run.job)] = path, run.name
            jobs.append(run.job)
    for job, result in pool.grade(jobs):
        path, name = requests[id(job)]
        results[path][name] = result
    return results


def _changing(results: Mapping[str, Result]) -> frozenset[TestId]:
    """Return the tests that the solution passes only if it may change its arguments."""
    first, other = results[_SOLUTION], results[_CHANGING]
    if isinstance(first, EtudeError) or isinstance(other, EtudeError):
        return frozenset()
    passed = {test.id for test in other.tests if test.outcome is Outcome.PASSED}
    failed = {test.id for test in first.tests if test.outcome is not Outcome.PASSED}
    return frozenset(passed & failed)


def _wrong_tests(exercise: Exercise, result: Result) -> list[tuple[TestCase, TestResult]]:
    """Return the tests whose expected values differ from the solution's results."""
    if isinstance(result, EtudeError) or result.message:
        return []
    by_id = {test.id: test for test in exercise.tests}
    written = {
        test.id
        for test in exercise.tests
        if isinstance(test.expect, LiteralValue) or test.stdout is not None
    }
    wrong_values = result.evidence.wrong_expected_values if result.evidence else ()
    wrong = {value.test for value in wrong_values}
    return [
        (by_id[test.id], test)
        for test in result.tests
        if (test.outcome is Outcome.FAILED and test.id in written) or test.id in wrong
    ]


def _examine(exercise: Exercise, first: Mapping[str, Result], proof: Proof) -> ImportProof:
    import_proof = ImportProof(exercise)
    verdict, own = first[_SOLUTION], first.get(_OWN)
    if isinstance(verdict, EtudeError) or proof.status == "fault":
        target = import_proof.faults if proof.status == "fault" else import_proof.sentences
        target += [finding.message for finding in proof.findings] or [str(verdict)]
        return import_proof
    if isinstance(own, Verdict) and own.outcome is not Outcome.PASSED:
        messages = [own.message, *(test.message for test in own.tests)]
        missing = next(filter(None, map(_UNDEFINED.search, messages)), None)
        if missing:
            import_proof.sentences.append(
                f"the source's solution needs `{missing[1]}`, which only the starter defines: "
                f"alone it ends with NameError: {missing[0]}"
            )
    uncalled_messages = [each.message for each in proof.findings if each.check == checks.CALLS]
    wrong_values = verdict.evidence.wrong_expected_values if verdict.evidence else ()
    wrong_value_messages = {value.test: value.message for value in reversed(wrong_values)}
    for test, outcome in _wrong_tests(exercise, verdict):
        expected, printed = test.stdout or "", outcome.output
        # Outputs that differ only in brackets and commas count as alike: `[1., 2.]`, `[1. 2.]`.
        one, other = (" ".join(_BRACKETS.sub(" ", text).split()) for text in (expected, printed))
        if test.compared != "text":
            message = wrong_value_messages.get(test.id, outcome.message)
            import_proof.sentences.append(
                f"the expected value of test '{test.id}' is wrong: {message}"
            )
        elif one and compare_text(one, other) is None:
            import_proof.printed[test.id] = printed
        else:
            uncalled = any(f"'{test.id}'" in each for each in uncalled_messages)
            program_name = "the test's own program" if uncalled else "the solution"
            import_proof.sentences.append(
                f"the expected output of test '{test.id}' is wrong. It says\n{_block(expected)}\n"
                f"and {program_name} prints\n{_block(printed)}"
            )
    import_proof.changing = _changing(first)
    import_proof.works = not verdict.message and all(
        test.outcome is Outcome.PASSED or test.id in {*import_proof.printed, *import_proof.changing}
        for test in verdict.tests
    )
    import_proof.sentences += _finding_sentences(proof.findings, exercise)
    import_proof.notes += [note.message for note in proof.notes if note.check not in _OTHER_CHECKS]
    return import_proof


def _finding_sentences(findings: Sequence[ProofFinding], exercise: Exercise) -> Iterator[str]:
    """Yield sentences on the findings, a crashing starter first and surviving mutants last."""
    lines = exercise.starter.split("\n")
    for finding in findings:
        if finding.check != checks.STARTER:
            continue
        matches = (pattern.match(finding.message) for pattern in _CRASHES)
        hit = next((match for match in matches if match), None)
        line = int(hit["line"]) if hit is not None else 0
        if hit is None or not 0 < line <= len(lines):
            yield finding.message
            continue
        yield (
            f"the starter crashes before anything is written into it: its own line {line}, "
            f"`{lines[line - 1].strip()}`, raises {hit['error']}. Take the lines out that try it"
        )
    yield from (finding.message for finding in findings if finding.check not in _OTHER_CHECKS)
    changes = [hit[1] for finding in findings if (hit := _SURVIVOR.search(finding.message))]
    if changes:
        noun = "a mutant" if len(changes) == 1 else f"{len(changes)} mutants"
        yield f"the hidden tests accept {noun} of the solution:\n" + "\n".join(
            f"    {change}" for change in changes
        )


def _block(text: str) -> str:
    lines = text.rstrip("\n").split("\n") or [""]
    return "\n".join(f"    {line}" for line in lines)
