"""The run of one submission through an exercise's tests, in a sandbox child."""

import contextlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from grader import __version__
from grader.definitions.exercise import Exercise, TestCase, TestId
from grader.grading.checks import Judgement, judge, make_check
from grader.grading.comparison.compare import Difference, DifferenceKind, RawResult
from grader.grading.comparison.printed_text import compare_text
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.feedback import outcome_sentences
from grader.grading.feedback.difference_sentences import difference_message, item_names
from grader.grading.feedback.hidden_sentences import NOT_PASSED
from grader.grading.program.author_code import TooLargeError, TooLongError
from grader.grading.program.loaded_program import LoadedProgram, load
from grader.grading.program.notebook_program import PartLines
from grader.grading.program.proxies import NoValueError
from grader.grading.results.verdict import Evidence, FailureValues, Outcome, TestResult, Verdict
from grader.grading.run.best_effort import BestEffort
from grader.grading.run.related_results import RelatedResults
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError, DefinedNames, Returned, Unsupported
from grader.sandbox.limits import AUTHOR_SECONDS, DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from grader.sandbox.interface import Child, Children

_RETURN_OF_VALUE = re.compile(r"^\s+return\s+(?!None\b)\S", re.MULTILINE)
MAX_CHILDREN = 3
"""The number of children that one submission may use: a new one after each time-out, so that the
remaining tests still run. A program that never ends takes at most this many times its limits."""


@dataclass(frozen=True, slots=True)
class _UndisclosedResult:
    """The result of a test, before its disclosure is applied."""

    outcome: Outcome
    message: str = ""
    line: int | None = None
    difference_kind: DifferenceKind | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)  # inputs of the draw that did not pass
    points: int = 0


_PASSED = _UndisclosedResult(Outcome.PASSED)  # shared by all draws that pass


class SubmissionRun:
    """One submission in its own sandbox child. Use as a context manager.

    Args:
        with_values: Whether results have the values behind a failure, which take time to make.
        with_reasons: Whether results have sentences about the failure, which take time as well.
        most_children: The number of children to use at most, see `MAX_CHILDREN`.
    """

    def __init__(
        self,
        oracle: Oracle,
        submission: Submission,
        sandbox: "Children",
        limits: Limits = DEFAULT_LIMITS,
        *,
        with_values: bool = True,
        with_reasons: bool = True,
        most_children: int = MAX_CHILDREN,
    ) -> None:
        self.exercise: Exercise = oracle.exercise
        # Reason why no test can run, as a sentence for the learner.
        self.problem = submission.problem
        self.line = submission.line
        self.source = submission.source  # a notebook's source is set by `load`
        self.lines = PartLines()
        self.notes: tuple[str, ...] = ()
        self.outcome = Outcome.ERRORED if self.problem else Outcome.PASSED
        self.output = ""  # output while the submission was loaded
        self.observed: dict[TestId, RawResult] = {}
        self.best_effort = BestEffort()
        self._related = RelatedResults(oracle)
        self._with_values = with_values
        self._with_reasons = with_reasons
        self._most_children = most_children
        self._oracle = oracle
        self._submission = submission
        self._contents = DefinedNames()
        self._child: Child | None = None
        self._program: LoadedProgram | None = None
        self._has_ended = bool(self.problem)
        self._child_count = 1
        self._timed_out = False  # whether a time-out has ended the child
        self._began = time.monotonic()
        self._hidden_ran = False
        self._limits = limits
        self._new_child = partial(sandbox.child, limits)
        if not self.problem:
            self._child = self._new_child()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close()

    def prepare(self) -> None:
        """Compute expected values and start the child, before the submission's time begins."""
        if self._child is not None:
            self._oracle.prepare()
            self._child.start()

    @property
    def deadline(self) -> float:
        """The end of the submission's wall-clock limit, in seconds of `time.monotonic`."""
        return self._began + self._limits.wall_seconds

    @property
    def will_restart_child(self) -> bool:
        """True if the next test gets a new child, with the full limits, after a time-out."""
        return self._has_ended and self._timed_out and self._child_count < self._most_children

    def load(self) -> None:
        """Screen the submission's code and run it; set `problem` if this fails."""
        if self._child is None:
            return
        self.prepare()
        self._began = time.monotonic()
        loaded = load(self._child, self._submission, self.exercise)
        self._contents, self._program = loaded.contents, loaded.program
        self.lines = loaded.lines
        sentences = (self.best_effort.make("note", note, "") for note in loaded.notes)
        self.notes = tuple(filter(None, sentences))
        self.source = loaded.source or self.source
        self.output = self._child.output()
        if loaded.problem is not None:
            self.problem = self.best_effort.make(
                "sentence", loaded.problem.sentence, outcome_sentences.NO_SENTENCE
            )
            self.outcome, self.line = loaded.problem.outcome, loaded.problem.line
            self._has_ended = True

    def grade(self, test: TestCase) -> TestResult:
        """Return the result of one test, within its disclosure.

        Raises:
            GraderFault, DefinitionError: The test cannot run with any submission.
        """
        if self._has_ended and not self.will_restart_child:
            return not_run_result(test, self.problem)
        # A child that has seen a hidden test must not run a visible one, whose output is shown.
        needs_new_child = self._has_ended or (
            self._hidden_ran and not test.hidden and self._child is not None
        )
        if needs_new_child and (problem := self._restart_child()):
            return not_run_result(test, problem)
        assert self._program is not None  # for the type checker
        child = self._program.child
        if test.hidden and not self._hidden_ran and self.exercise.hidden_data:
            with contextlib.suppress(ChildGoneError):  # the test itself reports that
                child.put_files(self.exercise.hidden_data)
        self._hidden_ran = test.hidden
        begin = child.output_size
        clock = time.perf_counter()
        attempt = self._attempt(self._program, test)
        seconds = round(time.perf_counter() - clock, 6)
        if attempt.outcome is not Outcome.PASSED and not self._has_ended and child.output_full:
            attempt = _UndisclosedResult(
                Outcome.OUTPUT_LIMIT, outcome_sentences.OUTPUT_LIMIT, line=attempt.line
            )
        if not test.hidden:
            result = self._visible_result(test, attempt, child.output(begin))
            return replace(result, seconds=seconds)
        disclosed = _disclose(test, attempt, self.best_effort)
        is_prediction = self.exercise.kind == "predict" and attempt.difference_kind is not None
        if is_prediction and test.disclose == "category":
            # Safe to show: a prediction is never run, so its message holds only the learner's text.
            disclosed = replace(disclosed, message=attempt.message)
        return _result(test, disclosed)

    def _visible_result(
        self, test: TestCase, attempt: _UndisclosedResult, output: str
    ) -> TestResult:
        """Return the result of a visible test, with the values behind a failure."""
        if not self.lines.is_one_file:
            message = self._sentence(lambda: self.lines.sentence(attempt.message), attempt.message)
            attempt = replace(attempt, message=message, line=self.lines.line(attempt.line))
        result = _result(test, attempt, output)
        if attempt.outcome is Outcome.PASSED or not self._with_values:
            return result
        # Imported here since only failures need it.
        from grader.grading.feedback.summarize_values import failure_values

        values = self.best_effort.make(
            "values",
            lambda: failure_values(self.exercise, test, self.observed[test.id]),
            FailureValues(),
        )
        return replace(
            result,
            inputs=values.inputs,
            expected=values.expected,
            got=values.got,
            worst=values.worst,
        )

    def _restart_child(self) -> str:
        """Load the submission into a new child; return the problem with that, or ""."""
        assert self._child is not None  # for the type checker
        is_late, self._timed_out = self._timed_out, False
        if is_late:  # a restart that only separates visible from hidden tests is not counted
            self._child_count += 1
        self._child.close()
        self._child = self._new_child()
        self._has_ended = self._hidden_ran = False
        self.load()
        problem = self.problem
        if is_late:  # the first load succeeded, so the results up to the time-out are valid
            self.problem, self.outcome, self.line = "", Outcome.PASSED, None
        return problem

    def verdict(self, results: Mapping[TestId, TestResult], sandbox: str) -> Verdict:
        """Return the verdict on the run."""
        results_with_origins = self.best_effort.make(
            "sentence",
            lambda: self._related.with_origins(results, self.observed),
            dict(results),
        )
        return make_verdict(
            self.exercise,
            self._submission,
            self._with_second_definition(results_with_origins),
            sandbox=sandbox,
            outcome=self.outcome,
            problem=self.problem,
            line=self.line,
            output=self.output,
            notes=self.notes,
        )

    def _with_second_definition(
        self, results: dict[TestId, TestResult]
    ) -> dict[TestId, TestResult]:
        """Return the results; the first visible failure also mentions a name defined twice."""
        wrong = (Outcome.FAILED, Outcome.ERRORED)
        failures = (each for each in results.values() if not each.hidden and each.outcome in wrong)
        first = next(failures, None)
        if first is None or self.problem or self.lines.files:
            return results
        sentence = self._sentence(
            lambda: self.lines.sentence(
                outcome_sentences.second_definition_sentence(self.exercise.defines, self.source)
            )
        )
        if sentence:
            results[first.id] = replace(first, message=f"{first.message} {sentence}")
        return results

    def end(self) -> Evidence:
        """End the child and return its resource usage."""
        wall = time.monotonic() - self._began
        if self._child is None:
            return Evidence(0.0, wall, 0, 0)
        printed, ending = self._child.output_size, self._child.end()
        return Evidence(ending.cpu, wall, ending.rss, printed)

    def _attempt(self, program: LoadedProgram, test: TestCase) -> _UndisclosedResult:
        """Judge the draws up to the first failure, or all of them for partial credit.

        Partial credit is rounded down to whole points.
        """
        draws = self._oracle.draws(test)
        failure: _UndisclosedResult | None = None  # of the first draw that fails
        passed = 0
        for draw in draws:
            begin = program.child.output_size
            got: Any = None
            difference: Difference | None = None
            try:
                judgement = judge(program, self._oracle, test, draw)
            except NoValueError as error:
                got = error.answer
                attempt = self._no_value(test, error, draw)
            except (ChildGoneError, TooLongError, TooLargeError) as error:
                attempt = self._no_judgement(program, error, draw)
            else:
                got, difference = judgement.got, judgement.difference
                attempt = self._judged(program, test, draw, judgement, begin=begin)
            if failure is None:
                self.observed[test.id] = _raw_result(draw, got, difference)
            if attempt.outcome is Outcome.PASSED:
                passed += 1
                continue
            failure = failure or attempt
            if self._has_ended or not test.partial:
                break
        if failure is None:
            return _UndisclosedResult(Outcome.PASSED, points=test.points)
        if not test.partial:
            return failure
        points = test.points * passed // len(draws)
        message = self._sentence(
            lambda: outcome_sentences.partial_credit_sentence(
                failure.message, passed, len(draws), points
            ),
            failure.message,
        )
        return replace(failure, message=message, points=points)

    def _judged(
        self,
        program: LoadedProgram,
        test: TestCase,
        draw: Draw,
        judgement: Judgement,
        *,
        begin: int,
    ) -> _UndisclosedResult:
        """Return the result of a draw that was judged.

        Args:
            begin: The size of the output before the draw.
        """
        difference = judgement.difference
        if difference is None:
            return _PASSED
        sentence = ""
        if self._with_reasons:
            reason = self._sentence(
                lambda: self._reason(program, test, draw, difference, judgement.got, begin)
            )
            draws = len(self._oracle.draws(test))
            items = item_names(self.exercise.instructions, draw.expected)
            sentence = self._sentence(
                lambda: difference_message(difference, reason, draw.number, draws, items)
            )
        return _UndisclosedResult(
            Outcome.FAILED,
            sentence,
            difference_kind=difference.kind,
            inputs=draw.inputs,
            points=int(judgement.share * test.points),
        )

    def _no_judgement(
        self,
        program: LoadedProgram,
        error: ChildGoneError | TooLongError | TooLargeError,
        draw: Draw,
    ) -> _UndisclosedResult:
        """Return the result of a draw that has ended the child, or took too much to judge."""
        match error:
            case ChildGoneError():
                outcome = outcome_sentences.error_outcome(error)
                self._has_ended, self._timed_out = True, outcome is Outcome.TIMED_OUT
                line = outcome_sentences.stopped_line(error, self.source)
                sentence = self._sentence(
                    partial(outcome_sentences.ended_process_sentence, error, self.source)
                )
                return _UndisclosedResult(outcome, sentence, line=line, inputs=draw.inputs)
            case TooLongError():
                seconds = program.child.limits.wall_seconds + AUTHOR_SECONDS
                sentence = self._sentence(lambda: outcome_sentences.endless_test_sentence(seconds))
                return _UndisclosedResult(Outcome.TIMED_OUT, sentence, inputs=draw.inputs)
        return _UndisclosedResult(
            Outcome.OUT_OF_MEMORY, outcome_sentences.TOO_LARGE, inputs=draw.inputs
        )

    def _sentence(self, sentence: Callable[[], str], default: str = "") -> str:
        return self.best_effort.make("sentence", sentence, default)

    def _reason(
        self,
        program: LoadedProgram,
        test: TestCase,
        draw: Draw,
        difference: Difference,
        got: object,
        begin: int,
    ) -> str:
        """Return the sentence about the reason why a result is wrong, or "" if it is unknown."""
        kind = difference.kind
        if test.hidden:
            return self._related.sentence(test, kind, draw, got)
        mine, starter = (  # without blank lines and comments
            [bare for line in text.splitlines() if (bare := line.partition("#")[0].rstrip())]
            for text in (self.source, self.exercise.starter)
        )
        if kind in (DifferenceKind.NOTHING, DifferenceKind.SILENCE) and mine == starter:
            return outcome_sentences.STARTER
        if (
            kind is DifferenceKind.SILENCE
            and "print" not in self.source
            and _RETURN_OF_VALUE.search(self.source)
        ):
            return outcome_sentences.RETURNED
        if kind is DifferenceKind.NOTHING and difference.path == ():
            return self._not_returned(program, test, draw, begin)
        return self._related.sentence(test, kind, draw, got)

    def _not_returned(self, program: LoadedProgram, test: TestCase, draw: Draw, begin: int) -> str:
        """Return the sentence about a function that computes or prints a value but returns None."""
        child = program.child
        printed = child.output(begin)
        try:
            if printed.strip() and compare_text(str(draw.expected), printed) is None:
                return outcome_sentences.PRINTED
            for name in make_check(test).used_names(self.exercise.defines):
                answer = child.ask("find_unreturned_value", self.source, name)
                if isinstance(answer, Returned) and answer.value is not None:
                    return outcome_sentences.unreturned_value_sentence(answer.value, self.source)
        except ChildGoneError:
            self._has_ended = True
        return outcome_sentences.ONLY_PRINTED if printed.strip() else ""

    def _no_value(self, test: TestCase, error: NoValueError, draw: Draw) -> _UndisclosedResult:
        answer = error.answer
        if isinstance(answer, Unsupported):
            sentence = self._sentence(
                lambda: outcome_sentences.unsupported_result_sentence(answer, draw.expected)
            )
            kind = DifferenceKind.SHAPE if answer.is_too_large else DifferenceKind.TYPE
            return _UndisclosedResult(
                Outcome.FAILED, sentence, difference_kind=kind, inputs=draw.inputs
            )
        line = answer.frames[-1][0] if answer.frames else None
        sentence = ""
        if self._with_reasons:
            sentence = self._sentence(
                lambda: outcome_sentences.error_sentence(
                    answer, make_check(test).failing_code(error), self._contents
                )
            )
        return _UndisclosedResult(
            outcome_sentences.error_outcome(answer), sentence, line=line, inputs=draw.inputs
        )


def _raw_result(draw: Draw, got: Any, difference: Difference | None) -> RawResult:
    raw = RawResult(draw.number, got, draw.expected, draw.inputs)
    if difference is None:
        return raw
    kind, worst, path = difference.kind, difference.worst, difference.path
    return replace(raw, difference_kind=kind, worst=worst, path=path)


def _result(test: TestCase, attempt: _UndisclosedResult, output: str = "") -> TestResult:
    return TestResult(
        id=test.id,
        description="" if test.hidden else test.description,
        hidden=test.hidden,
        outcome=attempt.outcome,
        points=attempt.points,
        max_points=test.points,
        message=attempt.message,
        line=attempt.line,
        output=output,
    )


def not_run_result(test: TestCase, problem: str = "") -> TestResult:
    """Return the result of a test that did not run.

    Args:
        problem: The reason, if it keeps all tests from running; otherwise the program ended in an
            earlier test.
    """
    if not problem and test.hidden and test.disclose == "nothing":
        return _result(test, _UndisclosedResult(Outcome.FAILED, NOT_PASSED))
    return _result(test, _UndisclosedResult(Outcome.NOT_RUN, problem or outcome_sentences.NOT_RUN))


def timed_out_result(test: TestCase, seconds: float, best_effort: BestEffort) -> TestResult:
    """Return the result of a test in which the submission reached its wall-clock limit."""
    sentence = best_effort.make(
        "sentence", lambda: outcome_sentences.endless_test_sentence(seconds), ""
    )
    attempt = _UndisclosedResult(Outcome.TIMED_OUT, sentence)
    return _result(test, _disclose(test, attempt, best_effort) if test.hidden else attempt)


def make_verdict(
    exercise: Exercise,
    submission: Submission,
    results: Mapping[TestId, TestResult],
    *,
    sandbox: str,
    outcome: Outcome = Outcome.PASSED,
    problem: str = "",
    line: int | None = None,
    output: str = "",
    notes: tuple[str, ...] = (),
) -> Verdict:
    """Return the verdict on a run.

    Args:
        line: The line of the submission with the problem.
        output: The output of the submission while it was loaded.
    """
    if not problem and exercise.hidden_elsewhere and not exercise.tests:
        outcome, problem = Outcome.NOT_RUN, outcome_sentences.NO_TESTS
    elif not problem:
        outcomes = (result.outcome for result in results.values())
        outcome = next((each for each in outcomes if each is not Outcome.PASSED), Outcome.PASSED)
    earned = outcome is Outcome.PASSED and not exercise.hidden_elsewhere
    return Verdict(
        exercise=exercise.id,
        title=exercise.title,
        outcome=outcome,
        message=problem,
        line=line,
        tests=tuple(results[test.id] for test in exercise.tests if test.id in results),
        output=output,
        notes=notes,
        hidden_elsewhere=exercise.hidden_elsewhere,
        xp=exercise.xp if earned else 0,
        sandbox=sandbox,
        exercise_hash=exercise.digest,
        submission_hash=submission.digest,
        grader_version=__version__,
    )


def _disclose(
    test: TestCase, attempt: _UndisclosedResult, best_effort: BestEffort
) -> _UndisclosedResult:
    """Return the part of an attempt that a hidden test may disclose."""
    if attempt.outcome is Outcome.PASSED:
        return _UndisclosedResult(Outcome.PASSED, points=attempt.points)
    outcome = Outcome.FAILED if test.disclose == "nothing" else attempt.outcome
    message = best_effort.make(
        "sentence",
        lambda: outcome_sentences.hidden_test_sentence(
            test.disclose, outcome, attempt.difference_kind, attempt.inputs, test.holds
        ),
        NOT_PASSED,
    )
    return _UndisclosedResult(outcome, message, points=attempt.points)


def in_running_order(exercise: Exercise) -> list[TestCase]:
    """Return the tests in the order in which they run.

    Visible tests run first, so that nothing learnt from a hidden test reaches their output. Tests
    that disclose nothing run last: if one of them ends the program, no later test reveals it.
    """
    return sorted(
        exercise.tests, key=lambda test: (test.hidden, test.hidden and test.disclose == "nothing")
    )
