"""The search for the known mistake that explains all failures of a submission.

The submission's values are compared with those of wrong programs: first the misconceptions that the
author declared, then mutants of the solution. Each runs as the submission did: in one child of the
sandbox, through the same tests in the same order, since a program may keep state. It runs only as
far as it agrees. Its results are kept. If another submission agrees with all of them, the program
runs once more, from the start to the end.

Tests that disclose nothing are run but not compared, so that a diagnosis reveals nothing of them.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.definitions.exercise import (
    Exercise,
    TestCase,
    TestId,
)
from grader.errors import EtudeError
from grader.grading.comparison.ladder import Rung
from grader.grading.comparison.raw_result import RawResult
from grader.grading.diagnosis.fingerprint import Fingerprint, fingerprint_of
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import sentences
from grader.grading.results.jobs import limits_of
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Diagnosis, DiagnosisKind, Outcome, TestResult
from grader.grading.run.submission_run import SubmissionRun, in_running_order
from grader.sandbox.interface import Children

Observed = Mapping[TestId, RawResult]

_MOST_MUTANTS = 200
_MOST_HANGS = 3  # mutants without an end; after that many an exercise's are given up
_MUTANT_CPU_SECONDS = 1
_MOST_EXPLANATIONS = 2  # more are as good as none

# In these tests the values may be right, and still show which misconception it is. Of the many
# mutants, several would give the same.
_SHOWN_BY_TEST = (Rung.INPUTS, Rung.PROPERTY, Rung.BUDGET)
_OVERFLOWS = "drop-max-subtraction"

_VAGUE_OPERATORS = frozenset({
    "other-constant", "other-default", "other-flag", "other-function", "drop-statement",
    "leave-loop",
})  # fmt: skip
"""Their sentences help no learner."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A misconception, and what its program does in each test in running order."""

    id: str
    feedback: str
    hint: int | None
    fingerprints: tuple[Fingerprint, ...]


@dataclass(slots=True)
class _WrongProgram:
    """A program that makes a known mistake, and its results so far."""

    kind: DiagnosisKind
    id: str
    source: str
    feedback: str  # of a mutant, the mistake as "as if ..."
    hint: int | None = None
    fingerprints: list[Fingerprint] = field(
        default_factory=list
    )  # of the first tests in running order
    is_usable: bool = True
    hung: bool = False


class Diagnostician:
    """Explains the failures of the submissions of one exercise.

    Args:
        oracle: the exercise's.
        sandbox: where the wrong programs run.
        mistakes: misconceptions with known results, besides those that the exercise declares.
    """

    def __init__(self, oracle: Oracle, sandbox: Children, mistakes: Sequence[Mistake] = ()) -> None:
        self._exercise = oracle.exercise
        self._oracle = oracle
        if oracle.exercise.forbid is not None:
            # A wrong program may use what is forbidden: only its values count.
            self._oracle = oracle.form(replace(oracle.exercise, forbid=None))
        self._sandbox = sandbox
        self._tests = in_running_order(oracle.exercise)
        self._misconceptions = [
            _WrongProgram("misconception", each.id, each.code, each.feedback.strip(), each.hint)
            for each in oracle.exercise.misconceptions
        ]
        self._misconceptions += [
            _WrongProgram(
                "misconception", each.id, "", each.feedback, each.hint, list(each.fingerprints)
            )
            for each in mistakes
        ]
        self._mutants: list[_WrongProgram] | None = None
        self._until = math.inf

    def diagnose(
        self,
        results: Mapping[TestId, TestResult],
        observed: Observed,
        until: float = math.inf,
    ) -> Diagnosis | None:
        """Return the mistake that explains every failure that may be disclosed.

        Args:
            results: of the submission's tests.
            observed: the submission's values in them.
            until: when to stop, on the monotonic clock. Results up to then are kept, so that the
                search for the next submission gets further.

        Returns:
            None if no known mistake explains all failures, or too many do, or the time is over.
        """
        self._until = until
        case = _Case(self._exercise, results, observed)
        if not case.failing:
            return None
        try:
            found = [p for p in self._misconceptions if self._explains(p, case)]
            if not found and self._exercise.kind != "predict":
                found = list(self._matching_mutants(case))
        except _TimeIsOverError:
            return None
        return _diagnosis(found, case)

    def mistakes(self) -> tuple[Mistake, ...]:
        """Run every misconception through all tests, and return those that loaded."""
        for program in self._misconceptions:
            program.fingerprints = [seen for _, seen in self._graded(program)]
        return tuple(
            Mistake(program.id, program.feedback, program.hint, tuple(program.fingerprints))
            for program in self._misconceptions
            if program.is_usable
        )

    def _matching_mutants(self, case: "_Case") -> Iterator[_WrongProgram]:
        if self._mutants is None:
            self._mutants = _mutants_of(self._exercise)
        sentences_found: set[str] = set()
        for program in self._mutants:
            if sum(each.hung for each in self._mutants) > _MOST_HANGS:
                self._mutants.clear()
                return
            if program.feedback not in sentences_found and self._explains(program, case):
                sentences_found.add(program.feedback)
                yield program
                if len(sentences_found) > _MOST_EXPLANATIONS:
                    return

    def _explains(self, program: _WrongProgram, case: "_Case") -> bool:
        if not program.is_usable:
            return False
        if time.monotonic() > self._until:
            raise _TimeIsOverError
        if not any(
            _is_evidence(program, case.fingerprints[test.id], case) for test in case.failing
        ):
            return False
        try:
            agrees = all(case.agrees(test, seen) for test, seen in self._fingerprints(program))
        except EtudeError:  # ours or the author's; the verdict must not be lost
            program.is_usable = False
        return program.is_usable and agrees

    def _fingerprints(self, program: _WrongProgram) -> Iterator[tuple[TestCase, Fingerprint]]:
        """Yield a program's results in each test: those that are known, then by running it.

        The first run goes as far as the caller asks. The second one goes to the end, so that there
        is no third.
        """
        known = len(program.fingerprints)
        yield from zip(self._tests, program.fingerprints, strict=False)
        if known == len(self._tests):
            return
        if known:
            program.fingerprints = [seen for _, seen in self._graded(program)]
            yield from list(zip(self._tests, program.fingerprints, strict=False))[known:]
            return
        for test, seen in self._graded(program):
            program.fingerprints.append(seen)
            yield test, seen

    def _graded(self, program: _WrongProgram) -> Iterator[tuple[TestCase, Fingerprint]]:
        submission = Submission.from_bytes(Path(self._exercise.path_name), program.source.encode())
        limits = limits_of(self._exercise)
        if program.kind == "mutation":
            seconds = min(limits.cpu_seconds, _MUTANT_CPU_SECONDS)
            limits = replace(limits, cpu_seconds=seconds)
        with SubmissionRun(
            self._oracle, submission, self._sandbox, limits, with_values=False, with_reasons=False
        ) as run:
            run.load()
            program.is_usable = not run.problem
            for test in self._tests if program.is_usable else ():
                result = run.grade(test)
                program.hung |= result.outcome is Outcome.TIMED_OUT and program.kind == "mutation"
                # Of a pass nothing else is needed, and most programs pass most tests.
                passed = result.outcome is Outcome.PASSED
                yield (
                    test,
                    fingerprint_of(result.outcome, None if passed else run.observed.get(test.id)),
                )


class _TimeIsOverError(Exception):
    """No time is left for a diagnosis."""


class _Case:
    """A submission's results in the tests that may be disclosed."""

    def __init__(
        self, exercise: Exercise, results: Mapping[TestId, TestResult], observed: Observed
    ) -> None:
        self.exercise = exercise
        told = [
            test
            for test in exercise.tests
            if (not test.hidden or test.disclose != "nothing")
            and test.id in results
            and results[test.id].outcome is not Outcome.NOT_RUN
        ]
        self._told = {test.id for test in told}
        outcomes = {test.id: results[test.id].outcome for test in told}
        self.failing = [test for test in told if outcomes[test.id] is not Outcome.PASSED]
        self.fingerprints = {
            test.id: fingerprint_of(outcomes[test.id], observed.get(test.id))
            for test in self.failing
        }
        passing = [t for t, outcome in outcomes.items() if outcome is Outcome.PASSED]
        values = [fingerprint_of(Outcome.PASSED, observed.get(test)) for test in passing]
        values += self.fingerprints.values()
        # Many mistakes give nothing but NaN; a finite value beside it points to one.
        self.is_never_finite = any(
            seen.rung == Rung.NOT_FINITE for seen in self.fingerprints.values()
        ) and not any(seen.is_finite_somewhere or seen.is_distinctive for seen in values)

    def agrees(self, test: TestCase, seen: Fingerprint) -> bool:
        """Return whether a program agrees with the submission in a test, or it is not compared."""
        if test.id not in self._told:
            return True
        mine = self.fingerprints.get(test.id)
        if mine is None:
            return seen.outcome is Outcome.PASSED
        compares_values = test.compared in ("value", "text")
        return mine.agrees(seen, test.tolerance if compares_values else None)


def _is_evidence(program: _WrongProgram, seen: Fingerprint, case: _Case) -> bool:
    """Return whether a failure points to this mistake, and not just to some mistake."""
    shown_by_test = seen.rung in _SHOWN_BY_TEST
    overflows = seen.rung == Rung.NOT_FINITE
    if program.kind == "mutation":
        overflows = overflows and program.id == _OVERFLOWS and not case.is_never_finite
        # An error's own message says more, and several mutants may raise it in several places.
        return (seen.is_distinctive and not seen.is_specific and not shown_by_test) or overflows
    answered = case.exercise.kind == "predict" and seen.rung != ""
    return seen.is_distinctive or answered or shown_by_test or overflows


def _mutants_of(exercise: Exercise) -> list[_WrongProgram]:
    if not exercise.solution:  # a student edition has none
        return []
    from grader.mutation import OPERATORS, mutants  # noqa: PLC0415  most failures need no mutants

    made = mutants(exercise.solution, exercise.defines, exercise.starter)[:_MOST_MUTANTS]
    return [
        _WrongProgram("mutation", mutant.operator, mutant.source, mistake)
        for mutant in made
        if (mistake := OPERATORS[mutant.operator].mistake)
        and mutant.operator not in _VAGUE_OPERATORS
    ]


def _diagnosis(found: Sequence[_WrongProgram], case: _Case) -> Diagnosis | None:
    if not 0 < len(found) <= _MOST_EXPLANATIONS:
        return None
    mistakes = list(dict.fromkeys(program.feedback for program in found))
    if found[0].kind == "mutation":
        feedback = sentences.looks(", or ".join(mistakes))
    else:
        feedback = sentences.either(mistakes)
    kind = found[0].kind if len(found) == 1 else "ambiguous"
    hints = {program.hint for program in found}
    return Diagnosis(
        kind=kind,
        id=Diagnosis.JOIN.join(program.id for program in found),
        feedback=sentences.never_finite(feedback) if case.is_never_finite else feedback,
        hint=hints.pop() if len(hints) == 1 else None,
        tests=tuple(test.id for test in case.failing),
    )
