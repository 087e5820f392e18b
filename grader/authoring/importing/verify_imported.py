"""Verification of imported exercises, with their problems in plain sentences.

A run of each solution shows which expected outputs are wrong, and which tests must allow changed
arguments. With both corrected, the exercise is proven as by `etude verify`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from grader.authoring.verify import check_names, variants
from grader.authoring.verify.proof import Proof
from grader.authoring.verify.steps import failed_tests, passed_tests
from grader.authoring.verify.verification import FindLeaks, Verification, prove_pending
from grader.definitions.exercise import Exercise, FromSolution, LiteralValue, TestCase, TestId
from grader.definitions.wording import plural
from grader.errors import EtudeError
from grader.grading.comparison.printed_text import compare_text
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Outcome, TestResult
from grader.grading.workers.pool import WorkerPool

_SOLUTION, _CHANGING = "solution", "solution that changes inputs"
_BRACKETS: Final = re.compile(r"\barray\(|[][(),]")


@dataclass(slots=True)
class ImportProof:
    """The verification of one imported exercise; `faults` are the grader's, not the author's."""

    sentences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    is_solved: bool = False  # the solution passes every test, unchanged or with corrected outputs
    changing: frozenset[str] = frozenset()  # tests in which the solution changes an argument
    # The solution's output by test, if it differs from the source only in brackets and commas.
    printed: dict[str, str] = field(default_factory=dict)

    @property
    def is_proven(self) -> bool:
        """True if the exercise has no problems and no faults."""
        return not self.sentences and not self.faults


def verify_imported(
    exercises: Sequence[Exercise],
    pool: WorkerPool,
    find_leaks: FindLeaks | None = None,
    advance: Callable[[], None] = lambda: None,
) -> dict[Path, ImportProof]:
    """Verify imported exercises, by path; all their code runs in the sandbox.

    Args:
        advance: Called after each exercise.

    Raises:
        SandboxFault: This host has no sandbox.
    """
    results = _run_solutions(exercises, pool)
    verification = Verification(
        to_prove=[_correct(exercise, results[exercise.where.path]) for exercise in exercises]
    )
    for _ in prove_pending(verification, pool, find_leaks, None):
        advance()
    proofs = verification.select_finished()
    return {
        exercise.where.path: _examine(
            exercise, results[exercise.where.path], proofs[exercise.where.path]
        )
        for exercise in exercises
    }


def _run_solutions(
    exercises: Sequence[Exercise], pool: WorkerPool
) -> dict[Path, dict[str, Result]]:
    """Run each solution with all tests visible, also where tests allow changed arguments."""
    jobs: list[Job] = []
    for exercise in exercises:
        visible, group = variants.all_visible(exercise), variants.RunGroup.SOLUTION
        lenient = variants.with_changed_inputs(visible)
        runs = (
            variants.plan_with_evidence(group, _SOLUTION, visible, exercise.solution),
            variants.plan_run(group, _CHANGING, lenient, exercise.solution),
        )
        jobs += (replace(run.job, tag=(exercise.where.path, run.name)) for run in runs)
    results: dict[Path, dict[str, Result]] = defaultdict(dict)
    for job, result in pool.grade(jobs):
        path, name = job.tag
        results[path][name] = result
    return results


def _correct(exercise: Exercise, results: Mapping[str, Result]) -> Exercise:
    """Return a variant that allows changed arguments and takes wrong outputs from the solution."""
    changing = _find_changing(results)
    changed = variants.with_changed_inputs(exercise, changing) if changing else exercise
    wrong = {test.id for test, _ in _find_wrong_tests(changed, results[_SOLUTION])}
    if not wrong:
        return changed
    tests = tuple(
        test.with_expected_from(FromSolution()) if test.id in wrong else test
        for test in changed.tests
    )
    return variants.make_variant(changed, "corrected", tests=tests)


def _find_changing(results: Mapping[str, Result]) -> frozenset[TestId]:
    """Return the tests that the solution passes only if it may change its arguments."""
    strict, lenient = results[_SOLUTION], results[_CHANGING]
    if isinstance(strict, EtudeError) or isinstance(lenient, EtudeError):
        return frozenset()
    return passed_tests(lenient) & failed_tests(strict)


def _find_wrong_tests(exercise: Exercise, result: Result) -> list[tuple[TestCase, TestResult]]:
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


def _examine(exercise: Exercise, results: Mapping[str, Result], proof: Proof) -> ImportProof:
    """Put wrong outputs and the findings of the proof into sentences."""
    verdict, findings = results[_SOLUTION], [finding.message for finding in proof.findings]
    if proof.status == "fault":
        return ImportProof(faults=findings)
    if isinstance(verdict, EtudeError):
        return ImportProof(sentences=findings or [str(verdict)])
    import_proof = ImportProof(changing=_find_changing(results))
    uncalled_lines = [each.line for each in proof.findings if each.check == check_names.CALLS]
    wrong_values = verdict.evidence.wrong_expected_values if verdict.evidence else ()
    wrong_value_messages = {value.test: value.message for value in reversed(wrong_values)}
    for test, outcome in _find_wrong_tests(exercise, verdict):
        expected, printed = test.stdout or "", outcome.output
        # Outputs that differ only in brackets and commas count as alike: `[1., 2.]`, `[1. 2.]`.
        bare_expected, bare_printed = (
            " ".join(_BRACKETS.sub(" ", text).split()) for text in (expected, printed)
        )
        if test.compared != "text":
            message = wrong_value_messages.get(test.id, outcome.message)
            import_proof.sentences.append(
                f"the expected value of test '{test.id}' is wrong: {message}"
            )
        elif bare_expected and compare_text(bare_expected, bare_printed) is None:
            import_proof.printed[test.id] = printed
        else:
            is_uncalled = test.where.line in uncalled_lines
            program_name = "the test's own program" if is_uncalled else "the solution"
            import_proof.sentences.append(
                f"the expected output of test '{test.id}' is wrong. It says\n{_indent(expected)}\n"
                f"and {program_name} prints\n{_indent(printed)}"
            )
    import_proof.is_solved = not verdict.message and all(
        test.outcome is Outcome.PASSED or test.id in {*import_proof.printed, *import_proof.changing}
        for test in verdict.tests
    )
    import_proof.sentences += [finding.message for finding in proof.findings if not finding.change]
    if changes := [f"    {finding.change}" for finding in proof.findings if finding.change]:
        sentence = f"the hidden tests accept {plural(len(changes), 'mutant')} of the solution:"
        import_proof.sentences.append("\n".join([sentence, *changes]))
    import_proof.notes += [
        note.message for note in proof.notes if note.check != check_names.MUTANTS
    ]
    return import_proof


def _indent(text: str) -> str:
    lines = text.rstrip("\n").split("\n") or [""]
    return "\n".join(f"    {line}" for line in lines)
