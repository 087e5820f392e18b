"""The run of one submission through an exercise's tests, in a sandbox child."""

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Self

from grader import __version__
from grader.definitions.exercise import Exercise, TestCase, TestId
from grader.grading.checks import make_check
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import outcome_sentences
from grader.grading.program.loaded_program import LoadedSubmission, load
from grader.grading.program.screening import RunProblem
from grader.grading.results.verdict import Outcome, ResourceUsage, TestResult, Verdict
from grader.grading.run.best_effort import BestEffort
from grader.grading.run.disclosure import (
    UndisclosedResult,
    disclose,
    make_result,
    not_run_result,
    shows_expected,
)
from grader.grading.run.program_tester import ProgramTester
from grader.grading.run.related_results import reasons_with_origins
from grader.grading.submissions.program_text import NO_TEXT, ProgramText
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from grader.grading.results.raw_result import RawResult
    from grader.sandbox.interface import Child

MAX_CHILDREN = 3
"""The number of children that one submission may use: a new one after each time-out, so that the
remaining tests still run. A program that never ends takes at most this many times its limits."""


class _ChildState(Enum):
    RUNNING = auto()
    KNOWS_HIDDEN = auto()  # it must not run a visible test, whose output is shown
    TIMED_OUT = auto()  # the next test may run in a new child
    ENDED = auto()


class SubmissionRun:
    """One submission in its own sandbox child. Use as a context manager.

    Args:
        with_values: Whether results have the values behind a failure, which take time to make.
        with_reasons: Whether results have sentences about the failure, which take time as well.
        max_children: The number of children to use at most, see `MAX_CHILDREN`.

    Attributes:
        problem: The reason why no test can run, or None.
        output: The output while the submission was loaded.
        results: The result of each test that has run.
        observed: The draw that decided each of them.
    """

    def __init__(
        self,
        oracle: Oracle,
        submission: Submission,
        limits: Limits = DEFAULT_LIMITS,
        *,
        with_values: bool = True,
        with_reasons: bool = True,
        max_children: int = MAX_CHILDREN,
    ) -> None:
        self.oracle = oracle
        self.exercise: Exercise = oracle.exercise
        self.submission = submission
        self.problem: RunProblem | None = None
        self.output = ""
        self.results: dict[TestId, TestResult] = {}
        self.observed: dict[TestId, RawResult] = {}
        self.best_effort = BestEffort()
        self._limits = limits
        self._with_values = with_values
        self._with_reasons = with_reasons
        self._restarts_left = max_children - 1
        self._undisclosed: dict[TestId, UndisclosedResult] = {}
        self._loaded = LoadedSubmission()
        self._tester: ProgramTester | None = None
        self._began = time.monotonic()
        self._child: Child | None = None
        self._state = _ChildState.RUNNING
        if submission.problem:
            self.problem = RunProblem(Outcome.ERRORED, lambda: submission.problem, submission.line)
            self._state = _ChildState.ENDED
        else:
            self._child = oracle.sandbox.child(limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child; may be called twice."""
        if self._child is not None:
            self._child.close()
            self._child = None

    @property
    def text(self) -> ProgramText:
        """The code that was loaded, with the cells or files of its lines."""
        return self._loaded.text

    @property
    def text_of_one_file(self) -> ProgramText:
        """The code for a search that rewrites it; empty for a program of several files."""
        return NO_TEXT if self.text.files else self.text

    @property
    def deadline(self) -> float:
        """The end of the submission's wall-clock limit, in seconds of `time.monotonic`."""
        return self._began + self._limits.wall_seconds

    @property
    def will_restart_child(self) -> bool:
        """True if the next test gets a new child, with the full limits, after a time-out."""
        return self._state is _ChildState.TIMED_OUT and self._restarts_left > 0

    def prepare(self) -> None:
        """Compute expected values and start the child, before the submission's time begins."""
        if self._child is not None:
            for test in self.exercise.tests:
                make_check(self.exercise, test)  # imports what only some kinds of test need
            self.oracle.prepare()
            self._child.start()

    def load(self) -> None:
        """Screen the submission's code and run it. A failure becomes `problem`."""
        if self._child is None:
            return
        self.prepare()
        self._began = time.monotonic()
        loaded = self._loaded = load(self._child, self.submission, self.exercise)
        self.output = self._child.output()
        if loaded.program is not None:
            self._tester = ProgramTester(
                self.oracle, loaded.program, self.best_effort, with_reasons=self._with_reasons
            )
        if (problem := loaded.problem) is not None:
            message = self.best_effort.sentence(problem.sentence, outcome_sentences.NO_SENTENCE)
            self.problem = replace(problem, sentence=lambda: message)
            self._state = _ChildState.ENDED

    def grade_test(self, test: TestCase) -> TestResult:
        """Return the result of one test, within its disclosure.

        Raises:
            GraderFault, DefinitionError: The test cannot run with any submission.
        """
        if (problem := self._prepare_child(test)) is not None:
            result = self.results[test.id] = not_run_result(test, problem)
            return result
        assert self._child is not None  # for the type checker
        assert self._tester is not None
        begin, clock = self._child.output_size, time.perf_counter()
        undisclosed = self._tester.run(test)
        seconds = round(time.perf_counter() - clock, 6)
        self.observed[test.id] = undisclosed.raw
        if (ending := self._tester.ending) is not None:
            has_timed_out = ending is Outcome.TIMED_OUT
            self._state = _ChildState.TIMED_OUT if has_timed_out else _ChildState.ENDED
        elif undisclosed.outcome is not Outcome.PASSED and self._child.output_full:
            undisclosed = UndisclosedResult(
                Outcome.OUTPUT_LIMIT,
                undisclosed.raw,
                outcome_sentences.OUTPUT_LIMIT,
                undisclosed.line,
            )
        if test.hidden:
            result = disclose(self.exercise, test, undisclosed, self.best_effort)
        else:
            result = self._visible_result(test, undisclosed, self._child.output(begin))
            result = replace(result, seconds=seconds)
        self.results[test.id] = result
        self._undisclosed[test.id] = undisclosed
        return result

    def _prepare_child(self, test: TestCase) -> str | None:
        """Restart the child if a test needs it, and give it hidden data before the first use.

        Return None, or the reason why the test cannot run: "" if the program ended in an earlier
        test.
        """
        has_ended = self._state in (_ChildState.TIMED_OUT, _ChildState.ENDED)
        if has_ended and not self.will_restart_child:
            return self.problem.sentence() if self.problem else ""
        knows_too_much = self._state is _ChildState.KNOWS_HIDDEN and not test.hidden
        if (has_ended or knows_too_much) and (problem := self._restart_child()) is not None:
            return problem
        if test.hidden and self._state is _ChildState.RUNNING:
            self._state = _ChildState.KNOWS_HIDDEN
            if self._child is not None and self.exercise.hidden_data:
                with contextlib.suppress(ChildGoneError):  # the test itself reports that
                    self._child.put_files(self.exercise.hidden_data)
        return None

    def _restart_child(self) -> str | None:
        """Load the submission into a new child; return the problem with that, if any."""
        assert self._child is not None  # for the type checker
        has_timed_out = self._state is _ChildState.TIMED_OUT
        if has_timed_out:  # a restart that only separates visible from hidden tests is not counted
            self._restarts_left -= 1
        self._child.close()
        self._child = self.oracle.sandbox.child(self._limits)
        self._state = _ChildState.RUNNING
        self.load()
        problem = self.problem
        if has_timed_out:  # the first load succeeded, so the results up to the time-out are valid
            self.problem = None
        return problem.sentence() if problem else None

    def _visible_result(
        self, test: TestCase, undisclosed: UndisclosedResult, output: str
    ) -> TestResult:
        """Return the result of a visible test, with the values behind a failure."""
        result = make_result(
            test,
            undisclosed.outcome,
            undisclosed.message,
            points=undisclosed.points,
            line=self.text.main_line(undisclosed.line),
            output=output,
        )
        has_values = undisclosed.outcome is not Outcome.PASSED and self._with_values
        if not has_values or not shows_expected(self.exercise, test):
            return result
        # Imports NumPy's printing, which only failures need.
        from grader.grading.feedback.summarize_values import add_failure_values

        return self.best_effort.make(
            "values", lambda: add_failure_values(result, test, undisclosed.raw), result
        )

    def verdict(self) -> Verdict:
        """Return the verdict on the results so far, without an explanation."""
        results = dict(self.results)
        reasons: dict[TestId, str] = self.best_effort.make(
            "sentence", lambda: reasons_with_origins(self.exercise, self._undisclosed), {}
        )
        for test_id, reason in reasons.items():
            message = self._undisclosed[test_id].with_reason(reason).message
            results[test_id] = replace(results[test_id], message=message)
        notes = (self.best_effort.make("note", note, "") for note in self._loaded.notes)
        return make_verdict(
            self.exercise,
            self.submission,
            self._with_second_definition(results),
            sandbox=self.oracle.sandbox.backend_name,
            problem=self.problem,
            output=self.output,
            notes=tuple(filter(None, notes)),
            feedback_errors=self.best_effort.feedback_errors,
        )

    def _with_second_definition(
        self, results: Mapping[TestId, TestResult]
    ) -> Mapping[TestId, TestResult]:
        """Return the results; the first visible failure also mentions a name defined twice."""
        wrong = (Outcome.FAILED, Outcome.ERRORED)
        failures = (each for each in results.values() if not each.hidden and each.outcome in wrong)
        first = next(failures, None)
        if first is None or self.problem or self.text.files:
            return results
        sentence = self.best_effort.sentence(
            lambda: outcome_sentences.second_definition_sentence(self.exercise.defines, self.text),
            "",
        )
        if sentence:
            return {**results, first.id: replace(first, message=f"{first.message} {sentence}")}
        return results

    def end(self) -> ResourceUsage:
        """End the child and return its resource usage."""
        wall = time.monotonic() - self._began
        if self._child is None:
            return ResourceUsage(0.0, wall, 0, 0)
        printed, ending = self._child.output_size, self._child.end()
        return ResourceUsage(ending.cpu, wall, ending.peak_kib, printed)


def make_verdict(
    exercise: Exercise,
    submission: Submission,
    results: Mapping[TestId, TestResult],
    *,
    sandbox: str,
    problem: RunProblem | None = None,
    output: str = "",
    notes: tuple[str, ...] = (),
    feedback_errors: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on a run.

    Args:
        output: The output of the submission while it was loaded.
    """
    if problem is None and exercise.hidden_elsewhere and not exercise.tests:
        problem = RunProblem(Outcome.NOT_RUN, lambda: outcome_sentences.NO_TESTS)
    if problem is not None:
        outcome = problem.outcome
    else:
        outcomes = (result.outcome for result in results.values())
        outcome = next((each for each in outcomes if each is not Outcome.PASSED), Outcome.PASSED)
    earned = outcome is Outcome.PASSED and not exercise.hidden_elsewhere
    return Verdict(
        exercise=exercise.id,
        title=exercise.title,
        outcome=outcome,
        message=problem.sentence() if problem else "",
        line=problem.line if problem else None,
        is_unanswered=problem is not None and problem.is_unanswered,
        tests=tuple(results[test.id] for test in exercise.tests if test.id in results),
        output=output,
        notes=notes,
        hidden_elsewhere=exercise.hidden_elsewhere,
        xp=exercise.xp if earned else 0,
        sandbox=sandbox,
        exercise_hash=exercise.digest,
        submission_hash=submission.digest,
        grader_version=__version__,
        feedback_errors=tuple(feedback_errors),
    )


def grade_example(oracle: Oracle, submission: Submission, limits: Limits) -> TestResult:
    """Return the result of the only test of an exercise, which was made to be shown."""
    (test,) = oracle.exercise.tests
    with SubmissionRun(oracle, submission, limits) as run:
        run.load()
        result = run.grade_test(test)
    return replace(result, inputs=(), points=0, max_points=0, seconds=None)


def order_tests(exercise: Exercise) -> list[TestCase]:
    """Return the tests in the order in which they run.

    Visible tests run first, so that nothing learnt from a hidden test reaches their output. Tests
    that disclose nothing run last: if one of them ends the program, no later test reveals it.
    """
    return sorted(
        exercise.tests, key=lambda test: (test.hidden, test.hidden and test.disclose == "nothing")
    )
