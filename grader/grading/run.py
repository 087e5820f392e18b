"""Takes one submission through an exercise's tests, each test one call or more into its sandbox."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from grader.definitions.exercise import (
    CallTest,
    Exercise,
    LiteralValue,
    OutputTest,
    TestCase,
    TestId,
)
from grader.errors import EtudeError
from grader.grading import feedback
from grader.grading.compare import (
    Closeness,
    Difference,
    Rung,
    as_written,
    compare,
    compare_text,
)
from grader.grading.contents import Contents
from grader.grading.oracle import Draw, Oracle, evaluate
from grader.grading.proxies import InputChangedError, Names, NoValueError
from grader.grading.submission import Submission
from grader.grading.verdict import Outcome, TestResult
from grader.sandbox.limits import DEFAULT_LIMITS, Limits
from grader.sandbox.process import (
    Child,
    ChildGoneError,
    Raised,
    Returned,
    Sandbox,
    Unsupported,
)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """How a test ended, before it is decided how much of that may be told."""

    outcome: Outcome
    message: str = ""
    line: int | None = None
    rung: Rung | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)  # of the draw that did not pass


class SubmissionRun:
    """One submission in its own sandbox child. Use as a context manager."""

    def __init__(
        self,
        oracle: Oracle,
        submission: Submission,
        sandbox: Sandbox,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.exercise: Exercise = oracle.exercise
        self.problem = submission.problem  # why no test can run, for the learner
        self.line = submission.line
        self.outcome = Outcome.ERRORED if self.problem else Outcome.PASSED
        self.output = ""  # printed while the submission was loaded
        self._oracle = oracle
        self._submission = submission
        self._contents = Contents((), {})
        self._child: Child | None = None
        self._ended = bool(self.problem)
        self._hidden_ran = False
        self._new_child = functools.partial(sandbox.child, limits)
        if not self.problem:
            self._child = self._new_child()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close()

    def load(self) -> None:
        """Run the submission's own code. What goes wrong becomes `problem`."""
        if self._child is None:
            return
        for test in self.exercise.tests:  # before the clock runs: our own work is not its time
            self._oracle.draws(test)
        try:
            answer = self._child.load(self._submission.source, list(self.exercise.defines))
        except ChildGoneError as error:
            self._refuse(*feedback.gone(error))
            return
        self.output = self._child.output(0, self._child.printed)
        if isinstance(answer, Raised):
            self._refuse_raised(answer)
        else:
            facts = answer.value if isinstance(answer, Returned) else None
            self._look_at(Contents.read(facts, list(self.exercise.defines)))

    def _refuse(self, outcome: Outcome, problem: str, line: int | None = None) -> None:
        self.outcome, self.problem, self.line, self._ended = outcome, problem, line, True

    def _refuse_raised(self, answer: Raised) -> None:
        if "SyntaxError" in answer.bases and not answer.frames:
            self._refuse(Outcome.ERRORED, feedback.syntax_error(answer), answer.line)
            return
        line = answer.frames[-1][0] if answer.frames else None
        sentence = feedback.raised(answer, "", self._contents)
        self._refuse(feedback.outcome_of(answer), sentence, line)

    def _look_at(self, contents: Contents) -> None:
        """Check that what the tests call is there."""
        self._contents = contents
        for name in self.exercise.defines:
            defined = contents.defined.get(name)
            if defined is None:
                sentence = feedback.missing(name, self._first_call(), contents.names)
                self._refuse(Outcome.FAILED, sentence)
                return
            if not defined.callable:
                self._refuse(Outcome.FAILED, feedback.not_callable(name, defined.kind))
                return

    def _first_call(self) -> str:
        calls = (t.call for t in self.exercise.tests if isinstance(t, CallTest) and not t.hidden)
        return next(calls, next(iter(self.exercise.defines)))

    def grade(self, test: TestCase) -> TestResult:
        """Run one test and say how it ended, within what its disclosure allows.

        Raises:
            GraderFault, DefinitionError: the test could not be run, whatever the submission does.
        """
        if self._ended and not self.problem and test.hidden and test.disclose == "nothing":
            message = feedback.hidden(test.disclose, Outcome.FAILED, None, {})
            return self._result(test, Outcome.FAILED, message)
        if self._ended:
            return self._result(test, Outcome.NOT_RUN, self.problem or feedback.NOT_RUN)
        assert self._child is not None  # noqa: S101  for the type checker
        if self._hidden_ran and not test.hidden and not self._start_again():
            return self._result(test, Outcome.NOT_RUN, self.problem)
        self._hidden_ran = test.hidden
        begin = self._child.printed
        attempt = self._attempt(test)
        if attempt.outcome is not Outcome.PASSED and not self._ended and self._child.output_full:
            attempt = _Attempt(Outcome.OUTPUT_LIMIT, feedback.OUTPUT_LIMIT, line=attempt.line)
        if test.hidden:
            return self._hidden_result(test, attempt)
        output = self._child.output(begin, self._child.printed)
        return self._result(test, attempt.outcome, attempt.message, attempt.line, output)

    def _start_again(self) -> bool:
        """Load the submission anew: what it learnt from a hidden test must reach no output."""
        if self._child is not None:
            self._child.close()
        self._child = self._new_child()
        self.load()
        return not self.problem

    def _hidden_result(self, test: TestCase, attempt: "_Attempt") -> TestResult:
        if attempt.outcome is Outcome.PASSED:
            return self._result(test, Outcome.PASSED)
        outcome = Outcome.FAILED if test.disclose == "nothing" else attempt.outcome
        message = feedback.hidden(test.disclose, outcome, attempt.rung, attempt.inputs)
        return self._result(test, outcome, message)

    def _attempt(self, test: TestCase) -> "_Attempt":
        draws = self._oracle.draws(test)
        for number, draw in enumerate(draws):
            attempt = self._attempt_draw(test, draw, number, len(draws))
            if attempt.outcome is not Outcome.PASSED:
                return attempt
        return _Attempt(Outcome.PASSED)

    def _attempt_draw(self, test: TestCase, draw: Draw, number: int, draws: int) -> "_Attempt":
        try:
            difference = self._difference(test, draw)
        except NoValueError as error:
            return self._no_value(test, error.answer, draw)
        except ChildGoneError as error:
            self._ended = True
            outcome, sentence = feedback.gone(error)
            return _Attempt(outcome, sentence, inputs=draw.inputs)
        if difference is None:
            return _Attempt(Outcome.PASSED)
        sentence = feedback.differs(difference, number, draws)
        return _Attempt(Outcome.FAILED, sentence, rung=difference.rung, inputs=draw.inputs)

    def _no_value(self, test: TestCase, answer: Raised | Unsupported, draw: Draw) -> "_Attempt":
        if isinstance(answer, Unsupported):
            sentence = feedback.unsupported(answer)
            return _Attempt(Outcome.FAILED, sentence, rung=Rung.TYPE, inputs=draw.inputs)
        call = test.call if isinstance(test, CallTest) else " ".join(test.run.split("\n")).strip()
        line = answer.frames[-1][0] if answer.frames else None
        sentence = feedback.raised(answer, call, self._contents)
        return _Attempt(feedback.outcome_of(answer), sentence, line=line, inputs=draw.inputs)

    def _difference(self, test: TestCase, draw: Draw) -> Difference | None:
        limit = _closeness(test)
        if isinstance(test, OutputTest):
            return compare_text(draw.expected, self._printed_by(test, draw), limit)
        assert self._child is not None  # noqa: S101  for the type checker
        names = Names(self._child, test.where, keep_inputs=test.keep_inputs)
        functions = {name: names.function(name) for name in self.exercise.defines}
        try:
            got = evaluate(test.call, {**functions, **draw.inputs})
        except (NoValueError, ChildGoneError, EtudeError):
            raise
        except InputChangedError as error:
            return Difference(Rung.INPUTS, feedback.input_changed(error.name, test.call))
        except Exception as error:  # noqa: BLE001  indexing a result of another form raises anything
            sentence = f"The result cannot be used as in `{test.call}`: {error}."
            return Difference(Rung.TYPE, sentence)
        if isinstance(test.expect, LiteralValue):
            return compare(as_written(draw.expected, got), got, limit)
        return compare(draw.expected, got, limit)

    def _printed_by(self, test: OutputTest, draw: Draw) -> str:
        assert self._child is not None  # noqa: S101  for the type checker
        begin = self._child.printed
        names = Names(self._child, test.where, keep_inputs=False)
        answer = names.run(test.run, draw.inputs)
        if not isinstance(answer, Returned):
            raise NoValueError(answer)
        return self._child.output(begin, self._child.printed)

    def _result(
        self,
        test: TestCase,
        outcome: Outcome,
        message: str = "",
        line: int | None = None,
        output: str = "",
    ) -> TestResult:
        return TestResult(
            id=test.id,
            description="" if test.hidden else test.description,
            hidden=test.hidden,
            outcome=outcome,
            points=test.points if outcome is Outcome.PASSED else 0,
            max_points=test.points,
            message=message,
            line=line,
            output=output,
        )


def _closeness(test: TestCase) -> Closeness | None:
    if test.tolerance is None:
        return None
    return Closeness(test.tolerance.atol, test.tolerance.rtol)


def in_running_order(exercise: Exercise) -> list[TestCase]:
    """Visible tests first: what a submission learns from a hidden one can then reach no output."""
    return sorted(exercise.tests, key=lambda test: test.hidden)


def verdict_outcome(results: Mapping[TestId, TestResult]) -> Outcome:
    """Sum up tests that ran: passed if all did, else the first thing that went wrong."""
    return next(
        (r.outcome for r in results.values() if r.outcome is not Outcome.PASSED), Outcome.PASSED
    )
