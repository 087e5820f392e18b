"""The search for the known mistake that explains all failures of a submission.

The submission's values are compared with those of wrong programs: first the misconceptions that the
author declared, then mutants of the solution, misconceptions with one of the submission's
numbers, and two misconceptions at once. Each program runs as the submission did: in one child of
the sandbox, through the same tests in the same order, since a program may keep state. A run ends at
the first test without agreement, and its results are cached. If another submission agrees with all
cached results, the program runs again, from the first test to the last. Many submissions agree with
passes alone, so a misconception runs at least up to its first failure.

If no wrong program agrees, the submission itself runs again with one part changed, for example
without its rounding or with a right helper. If every test then passes, that part is the mistake.

Tests that disclose nothing are run but not compared, so that a diagnosis does not reveal them.
"""

import math
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.definitions.exercise import CallTest, Exercise, TestCase, TestId
from grader.errors import DefinitionError
from grader.grading.diagnosis.fingerprint import Fingerprint, make_fingerprint
from grader.grading.diagnosis.source_facts import (
    CERTAIN_REPAIRS,
    CHANCE_REPAIRS,
    SourceFacts,
    read_source_facts,
    with_other_helper,
)
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import diagnosis_sentences
from grader.grading.jobs import find_limits
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import Diagnosis, DiagnosisKind, Outcome, TestResult
from grader.grading.run.submission_run import SubmissionRun, order_tests
from grader.grading.submissions.program_text import NO_TEXT, ProgramText
from grader.grading.submissions.submission import Submission
from grader.sandbox.limits import Limits

Observed = Mapping[TestId, RawResult]
Strategy = Callable[[], Diagnosis | None]

_MAX_MUTANTS = 200  # mutants of the solution that are compared
_MAX_TIMEOUTS = 3  # programs of one kind that may time out before the search in this kind ends
_MUTANT_CPU_SECONDS = 1  # CPU time of a mutant, which may loop forever
_MAX_EXPLANATIONS = 2  # alternatives in one diagnosis; more would not help a learner
_MAX_HELPERS = 4  # helpers of a submission that are replaced, one after the other
_NO_EFFECT = 1e-6  # a constant below this may have no effect on any result
_TINY = re.compile(r"[eE]-(?:[6-9]|\d\d)")  # matches a number that may be below `_NO_EFFECT`
_MIN_EVIDENCE = 2  # tests with distinctive values that a search over many programs needs

_VALUE_KINDS = (DifferenceKind.SHAPE, DifferenceKind.NOT_FINITE, DifferenceKind.VALUES)
# Differences that are evidence for a misconception although the values may be right. They are not
# evidence for a mutant, since several mutants would show the same.
_EVIDENCE_BEYOND_VALUES = (DifferenceKind.INPUTS, DifferenceKind.PROPERTY, DifferenceKind.BUDGET)

_OVERFLOW_OPERATOR = "drop-max-subtraction"

# Mutation operators whose sentences would not help a learner.
_VAGUE_OPERATORS = frozenset({
    "other-constant", "other-default", "other-flag", "other-function", "drop-statement",
    "leave-loop",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownMisconception:
    """A misconception, with the fingerprint of its program in each test in running order."""

    id: str
    feedback: str
    hint: int | None
    fingerprints: tuple[Fingerprint, ...]


@dataclass(slots=True)
class _Explanation:
    """A mistake that may explain the failures."""

    kind: DiagnosisKind
    id: str
    feedback: str  # the sentence; for a mutant a phrase that begins with "as if"
    hint: int | None = None


@dataclass(slots=True)
class _WrongProgram(_Explanation):
    """A program with a known mistake, and its results so far."""

    source: str = field(kw_only=True)
    # The results of the first tests in running order.
    fingerprints: list[Fingerprint] = field(default_factory=list)
    is_usable: bool = True

    @property
    def has_timed_out(self) -> bool:
        """True if a test timed out."""
        return any(each.outcome is Outcome.TIMED_OUT for each in self.fingerprints)


class Diagnostician:
    """A search for explanations of the failures in submissions of one exercise.

    Args:
        mistakes: Additional misconceptions, whose results are already known.
    """

    def __init__(self, oracle: Oracle, mistakes: Sequence[KnownMisconception] = ()) -> None:
        self._exercise = oracle.exercise
        self._oracle = oracle
        if oracle.exercise.forbid is not None:
            # Wrong programs may use forbidden names, since only their values matter.
            self._oracle = Oracle(
                replace(oracle.exercise, forbid=None), oracle.sandbox, oracle.cache
            )
        self._tests = order_tests(oracle.exercise)
        self._misconceptions = [
            _WrongProgram(
                "misconception",
                misconception.id,
                misconception.feedback.strip(),
                misconception.hint,
                source=misconception.code,
            )
            for misconception in oracle.exercise.misconceptions
        ]
        self._misconceptions += [
            _WrongProgram(
                "misconception",
                mistake.id,
                mistake.feedback,
                mistake.hint,
                list(mistake.fingerprints),
                source="",
            )
            for mistake in mistakes
        ]
        self._until = math.inf

    @cached_property
    def _mutants(self) -> list[_WrongProgram]:
        if not self._exercise.solution:  # missing in a student edition
            return []
        from grader.mutation import OPERATORS, mutants  # most failures need no mutants

        exercise = self._exercise
        variants = mutants(exercise.solution, exercise.defines, exercise.starter)[:_MAX_MUTANTS]
        return [
            _WrongProgram(
                "mutation",
                mutant.operator,
                OPERATORS[mutant.operator].mistake,
                source=mutant.source,
            )
            for mutant in variants
            if mutant.operator not in _VAGUE_OPERATORS
        ]

    @cached_property
    def _pairs(self) -> list[_WrongProgram]:
        from grader.grading.diagnosis.derived_mistakes import make_pairs

        return [
            _WrongProgram(
                "pair",
                Diagnosis.JOIN.join((first.id, second.id)),
                diagnosis_sentences.two_mistakes_sentence(
                    (first.feedback.strip(), second.feedback.strip())
                ),
                source=program,
            )
            for first, second, program in make_pairs(self._exercise)
        ]

    def diagnose(
        self,
        results: Mapping[TestId, TestResult],
        observed: Observed,
        until: float = math.inf,
        text: ProgramText = NO_TEXT,
    ) -> Diagnosis | None:
        """Return the mistake that explains every failure that may be disclosed.

        Args:
            until: The deadline on the monotonic clock. Results up to then are cached, so that the
                search for the next submission gets further.

        Returns:
            None if no known mistake explains all failures, if too many do, or if the time is over.
        """
        self._until = until
        failed = _FailedSubmission(self._exercise, results, observed, text)
        if not failed.failing:
            return None
        for program in self._misconceptions if text.source else ():
            # The submission is this program, which may give other results in a second run.
            if program.source.rstrip() == text.source.rstrip():
                program.fingerprints = [
                    _make_fingerprint(results[test.id].outcome, observed.get(test.id))
                    for test in self._tests
                ]
        try:
            for _, search in self.strategies(failed, text.source):
                if diagnosis := search():
                    return diagnosis
        except _TimeIsOverError:
            pass
        return None

    def strategies(
        self, failed: "_FailedSubmission", source: str
    ) -> Iterator[tuple[str, Strategy]]:
        """Yield the name and the function of each search, the most certain one first.

        `benchmarks.feedback` measures how often each succeeds, for a table in the documentation.
        """
        if self._exercise.is_prediction:
            yield "A declared mistake", lambda: self._find_declared(failed)
            yield "Declared mistakes in single answers", lambda: self._find_in_answers(failed)
            return
        yield "A declared mistake", lambda: self._find_declared(failed, source)
        yield (
            "A mutant of the solution",
            lambda: _make_diagnosis(list(self._find_mutants(failed)), failed),
        )
        # The remaining searches do not fit errors, whose message names the cause.
        outcomes = {failure.outcome for failure in failed.fingerprints.values()}
        if not source or outcomes != {Outcome.FAILED}:
            return
        facts = self._read_facts(source)
        yield (
            "A declared mistake with another number",
            lambda: _make_diagnosis(self._find_with_number(failed, facts.numbers), failed),
        )
        yield "Digits that are lost", lambda: self._find_repair(failed, facts, CERTAIN_REPAIRS)
        yield "A helper that is wrong", lambda: self._find_in_helper(failed, facts, source)
        yield "Two declared mistakes at once", lambda: self._find_pair(failed)
        # A breach of a property is too little evidence for a change by chance.
        is_of_values = all(
            failure.difference_kind in _VALUE_KINDS for failure in failed.fingerprints.values()
        )
        if self._exercise.solution and is_of_values:
            yield "One other change", lambda: self._find_repair(failed, facts, CHANCE_REPAIRS)

    def _read_facts(self, source: str) -> SourceFacts:
        from grader.grading.diagnosis.derived_mistakes import constants_in_source  # rarely needed

        numbers = constants_in_source(self._exercise.solution)
        return read_source_facts(self._oracle.sandbox, self._short_limits(), source, numbers)

    def _find_declared(self, failed: "_FailedSubmission", source: str = "") -> Diagnosis | None:
        matches = [program for program in self._misconceptions if self._explains(program, failed)]
        if len(matches) == 1 and _TINY.search(source):
            # A tiny constant has no effect, so the submission may look as if a step were missing.
            # Then the same misconception with the submission's number is an alternative.
            tiny = [
                number for number in self._read_facts(source).numbers if 0 < number < _NO_EFFECT
            ]
            matches += self._find_with_number(failed, tiny)
        return _make_diagnosis(matches, failed)

    def _find_in_answers(self, failed: "_FailedSubmission") -> Diagnosis | None:
        """Return the known mistakes in single answers of a prediction.

        A mistake that explains all answers that it would change is preferred. If several mistakes
        explain an answer equally well, none is reported for it.
        """
        ranks: dict[TestId, list[tuple[tuple[bool, int], _WrongProgram]]] = {}
        for program in self._misconceptions:
            results = list(self._fingerprints(program))
            changed = {test.id for test, result in results if result.outcome is not Outcome.PASSED}
            explained = {
                test.id for test, result in results if failed.agrees(test, result)
            } & changed
            explained &= {test.id for test in failed.failing}
            rank = explained == changed, len(explained)
            for test_id in explained:
                ranks.setdefault(test_id, []).append((rank, program))
        answers: dict[str, list[str]] = {}
        tests = []
        for test in failed.failing:
            best = max((rank for rank, _ in ranks.get(test.id, ())), default=None)
            programs = [program for rank, program in ranks.get(test.id, ()) if rank == best]
            if len(programs) == 1 and isinstance(test, CallTest):
                answers.setdefault(programs[0].id, []).append(test.call)
                tests.append(test.id)
        programs = [program for program in self._misconceptions if program.id in answers]
        if not programs:
            return None
        sentences = [(answers[program.id], program.feedback.strip()) for program in programs]
        hints = {program.hint for program in programs}
        return Diagnosis(
            kind="misconception",
            id=Diagnosis.JOIN.join(program.id for program in programs),
            feedback=diagnosis_sentences.answers_sentence(sentences),
            hint=hints.pop() if len(hints) == 1 else None,
            tests=tuple(tests),
        )

    def _find_with_number(
        self, failed: "_FailedSubmission", numbers: Sequence[float]
    ) -> list[_WrongProgram]:
        """Return the misconception that agrees with one of the submission's numbers, if any."""
        from grader.grading.diagnosis.derived_mistakes import with_other_numbers

        if not self._exercise.solution or not failed.has_much_evidence:
            return []
        for declared, number, new_number, code in with_other_numbers(self._exercise, numbers):
            feedback = (
                f"This is a known mistake, here with {new_number:g} in place of {number:g}: "
                f"{declared.feedback.strip()}"
            )
            program = _WrongProgram(
                "misconception", declared.id, feedback, declared.hint, source=code
            )
            if self._explains(program, failed):
                return [program]
        return []

    def _find_repair(
        self, failed: "_FailedSubmission", facts: SourceFacts, kinds: Collection[str]
    ) -> Diagnosis | None:
        """Return a diagnosis for a change of the submission with which the tests pass."""
        kinds_of_failures = {f.difference_kind for f in failed.fingerprints.values()}
        if DifferenceKind.BUDGET in kinds_of_failures:
            return None  # time and memory may differ from run to run
        # For each kind, the last copy changes all places of this kind together.
        last_copies = {copy.kind: copy for copy in facts.copies if copy.kind in CERTAIN_REPAIRS}
        is_settled = False
        for copy in facts.copies:
            # In an exercise of kind "fix" the place is the answer.
            if copy.kind != "rounded" and self._exercise.kind == "fix":
                continue
            if copy.kind not in kinds:
                continue
            # Only visible tests may choose one of several places: a choice by hidden tests would
            # reveal something about their inputs.
            changes_all = last_copies.get(copy.kind) is copy
            deciding = failed if changes_all else failed.visible
            if (is_settled and not changes_all) or not deciding.failing:
                continue
            if self._passes(copy.source, deciding):
                if changes_all or self._passes(copy.source, failed):
                    feedback = diagnosis_sentences.repair_sentence(
                        copy.kind, failed.text.name_lines(copy.lines), copy.original
                    )
                    return _make_diagnosis([_Explanation("repair", copy.kind, feedback)], failed)
                is_settled = True
        return None

    def _find_in_helper(
        self, failed: "_FailedSubmission", facts: SourceFacts, source: str
    ) -> Diagnosis | None:
        """Return a diagnosis for a helper if the tests pass with a right one in its place."""
        if not self._exercise.solution:
            return None
        from grader.grading.diagnosis.teaching_exercises import find_teacher, load_required

        helpers = [name for name in facts.functions if name not in self._exercise.defines]
        required = load_required(self._exercise) if helpers else []
        for name in helpers[:_MAX_HELPERS]:
            teacher, its_name = find_teacher(name, required) or (self._exercise, name)
            right = with_other_helper(source, name, teacher.solution, its_name)
            if not teacher.solution or not self._passes(right, failed):
                continue
            line = failed.text.name_line(facts.functions[name])
            programs = [
                _WrongProgram(
                    "misconception",
                    f"{teacher.id}/{mistake.id}",
                    diagnosis_sentences.helper_sentence(name, line, mistake.feedback.strip()),
                    source=with_other_helper(source, name, mistake.code, its_name),
                )
                for mistake in (teacher.misconceptions if teacher is not self._exercise else ())
            ]
            matches = [program for program in programs if self._explains(program, failed)]
            unnamed = _Explanation(
                "repair", "own-helper", diagnosis_sentences.helper_sentence(name, line)
            )
            return _make_diagnosis(matches, failed) or _make_diagnosis([unnamed], failed)
        return None

    def _find_pair(self, failed: "_FailedSubmission") -> Diagnosis | None:
        """Return a diagnosis for the only pair of misconceptions that agrees, or None."""
        if not self._exercise.solution or not failed.has_much_evidence:
            return None
        matches = [program for program in self._pairs if self._explains(program, failed)]
        return _make_diagnosis(matches, failed) if len(matches) == 1 else None

    def _passes(self, source: str, failed: "_FailedSubmission") -> bool:
        """Return whether a changed copy of the submission passes all tests that are disclosed."""
        if time.monotonic() > self._until:
            raise _TimeIsOverError
        if failed.copy_timeouts > _MAX_TIMEOUTS:
            return False
        passes = False
        try:
            for test, fingerprint in self._grade(source, self._short_limits()):
                failed.copy_timeouts += fingerprint.outcome is Outcome.TIMED_OUT
                passes = failed.passes(test, fingerprint)
                if not passes:
                    break
        except DefinitionError:  # the author's Python rejects the copy's result
            return False
        return passes

    def _short_limits(self) -> Limits:
        limits = find_limits(self._exercise)
        return replace(limits, cpu_seconds=min(limits.cpu_seconds, _MUTANT_CPU_SECONDS))

    def mistakes(self) -> tuple[KnownMisconception, ...]:
        """Run every misconception through all tests; return those that could be loaded."""
        for program in self._misconceptions:
            program.fingerprints = [fingerprint for _, fingerprint in self._fingerprints(program)]
        return tuple(
            KnownMisconception(
                program.id, program.feedback, program.hint, tuple(program.fingerprints)
            )
            for program in self._misconceptions
            if program.is_usable
        )

    def _find_mutants(self, failed: "_FailedSubmission") -> Iterator[_WrongProgram]:
        # What is evidence for any mutant is evidence for this one. Without it none is made.
        if not failed.has_evidence("mutation", _OVERFLOW_OPERATOR):
            return
        sentences: set[str] = set()
        for program in self._mutants:
            if sum(mutant.has_timed_out for mutant in self._mutants) > _MAX_TIMEOUTS:
                return
            if program.feedback not in sentences and self._explains(program, failed):
                sentences.add(program.feedback)
                yield program
                if len(sentences) > _MAX_EXPLANATIONS:
                    return

    def _explains(self, program: _WrongProgram, failed: "_FailedSubmission") -> bool:
        if not program.is_usable:
            return False
        if time.monotonic() > self._until:
            raise _TimeIsOverError
        if not failed.has_evidence(program.kind, program.id):
            return False
        agrees = True
        try:
            for test, fingerprint in self._fingerprints(program):
                agrees = agrees and failed.agrees(test, fingerprint)
                has_failed = fingerprint.outcome is not Outcome.PASSED
                if not agrees and (has_failed or program.kind != "misconception"):
                    break
        except DefinitionError:  # the author's Python rejects the program's result
            program.is_usable = False
        return program.is_usable and agrees

    def _fingerprints(self, program: _WrongProgram) -> Iterator[tuple[TestCase, Fingerprint]]:
        """Yield a program's result in each test: cached results first, then by running it.

        The first run goes as far as the caller iterates. A second run goes to the end, so that a
        third is never needed.
        """
        count = len(program.fingerprints)
        yield from zip(self._tests, program.fingerprints, strict=False)
        if count == len(self._tests):
            return
        is_declared = program.kind == "misconception"
        limits = find_limits(self._exercise) if is_declared else self._short_limits()
        results = self._grade(program.source, limits)
        if count:
            program.fingerprints = [fingerprint for _, fingerprint in results]
            yield from list(zip(self._tests, program.fingerprints, strict=False))[count:]
        else:
            for test, fingerprint in results:
                program.fingerprints.append(fingerprint)
                yield test, fingerprint
        program.is_usable = bool(program.fingerprints)

    def _grade(self, source: str, limits: Limits) -> Iterator[tuple[TestCase, Fingerprint]]:
        """Yield a program's result in each test; nothing if the program cannot be loaded."""
        submission = Submission.from_program(self._exercise, source)
        with SubmissionRun(
            self._oracle, submission, limits, with_values=False, with_reasons=False
        ) as run:
            run.load()
            for test in () if run.problem else self._tests:
                result = run.grade_test(test)
                yield test, _make_fingerprint(result.outcome, run.observed.get(test.id))


def _make_fingerprint(outcome: Outcome, result: RawResult | None) -> Fingerprint:
    """Return the fingerprint of a wrong program's result in a test.

    For a pass it is made without the values, since most programs pass most tests.
    """
    return make_fingerprint(outcome, None if outcome is Outcome.PASSED else result)


class _TimeIsOverError(Exception):
    """The time for the diagnosis is over."""


class _FailedSubmission:
    """A submission's results in the tests that may be disclosed."""

    def __init__(
        self,
        exercise: Exercise,
        results: Mapping[TestId, TestResult],
        observed: Observed,
        text: ProgramText,
        *,
        hidden: bool = True,
    ) -> None:
        self.exercise = exercise
        self.text = text
        self._arguments = results, observed, text
        disclosed = [
            test
            for test in exercise.tests
            if (not test.hidden or (hidden and test.disclose != "nothing"))
            and test.id in results
            and results[test.id].outcome is not Outcome.NOT_RUN
        ]
        self.copy_timeouts = 0  # number of time-outs of changed copies of the submission
        self._disclosed = {test.id for test in disclosed}
        outcomes = {test.id: results[test.id].outcome for test in disclosed}
        self.failing = [test for test in disclosed if outcomes[test.id] is not Outcome.PASSED]
        self.fingerprints = {
            test.id: make_fingerprint(outcomes[test.id], observed.get(test.id))
            for test in self.failing
        }
        passing = [t for t, outcome in outcomes.items() if outcome is Outcome.PASSED]
        values = [make_fingerprint(Outcome.PASSED, observed.get(test)) for test in passing]
        values += self.fingerprints.values()
        # Many mistakes give nothing but NaN, so a finite value is needed to identify one.
        self.is_never_finite = any(
            fingerprint.difference_kind is DifferenceKind.NOT_FINITE
            for fingerprint in self.fingerprints.values()
        ) and not any(
            fingerprint.is_finite_somewhere or fingerprint.is_distinctive for fingerprint in values
        )

    @cached_property
    def visible(self) -> "_FailedSubmission":
        """The results in the visible tests alone."""
        return _FailedSubmission(self.exercise, *self._arguments, hidden=False)

    @property
    def has_much_evidence(self) -> bool:
        """True if several tests have values that are distinctive of one mistake."""
        distinctive = [failure.is_distinctive for failure in self.fingerprints.values()]
        return sum(distinctive) >= _MIN_EVIDENCE

    def has_evidence(self, kind: DiagnosisKind, mistake: str) -> bool:
        """Return whether any failure is evidence for the mistake with this id."""
        return any(
            self._is_evidence(kind, mistake, failure) for failure in self.fingerprints.values()
        )

    def _is_evidence(self, kind: DiagnosisKind, mistake: str, failure: Fingerprint) -> bool:
        shown_by_test = failure.difference_kind in _EVIDENCE_BEYOND_VALUES
        overflows = failure.difference_kind is DifferenceKind.NOT_FINITE
        if kind == "pair":
            return failure.is_distinctive and not failure.is_specific
        if kind == "mutation":
            if overflows:  # many mistakes overflow at the same places
                return mistake == _OVERFLOW_OPERATOR and not self.is_never_finite
            # The message of an error is more helpful, and several mutants may raise the same error.
            return failure.is_distinctive and not failure.is_specific and not shown_by_test
        is_answered = self.exercise.is_prediction and failure.difference_kind is not None
        return failure.is_distinctive or is_answered or shown_by_test or overflows

    def passes(self, test: TestCase, fingerprint: Fingerprint) -> bool:
        """Return whether a program passes a test; True if the test is not disclosed."""
        return test.id not in self._disclosed or fingerprint.outcome is Outcome.PASSED

    def agrees(self, test: TestCase, fingerprint: Fingerprint) -> bool:
        """Return whether a program agrees with the submission; True if not disclosed."""
        if test.id not in self._disclosed:
            return True
        failure = self.fingerprints.get(test.id)
        if failure is None:
            return fingerprint.outcome is Outcome.PASSED
        compares_values = test.compared in ("value", "text")
        return failure.agrees(fingerprint, test.tolerance if compares_values else None)


def _make_diagnosis(matches: Sequence[_Explanation], failed: _FailedSubmission) -> Diagnosis | None:
    if not 0 < len(matches) <= _MAX_EXPLANATIONS:
        return None
    mistakes = list(dict.fromkeys(match.feedback for match in matches))
    kind = matches[0].kind if len(matches) == 1 else "ambiguous"
    hints = {match.hint for match in matches}
    return Diagnosis(
        kind=kind,
        id=Diagnosis.JOIN.join(match.id for match in matches),
        feedback=diagnosis_sentences.mistakes_sentence(
            mistakes,
            are_mutants=matches[0].kind == "mutation",
            is_never_finite=failed.is_never_finite,
        ),
        hint=hints.pop() if len(hints) == 1 else None,
        tests=tuple(test.id for test in failed.failing),
    )
