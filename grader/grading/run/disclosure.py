"""The disclosure of a test's result to a learner.

Nothing shows the expected value of a hidden test, or of a prediction, which only asks for it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from grader.definitions.exercise import Exercise, TestCase
from grader.grading.checks import make_check
from grader.grading.comparison.compare import Difference
from grader.grading.feedback import outcome_sentences
from grader.grading.feedback.hidden_sentences import NOT_PASSED
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import Outcome, TestResult
from grader.grading.run.best_effort import BestEffort

if TYPE_CHECKING:
    from grader.grading.comparison.relations.pair import Relation


@dataclass(frozen=True, slots=True)
class UndisclosedResult:
    """The result of a test before its disclosure is applied."""

    outcome: Outcome
    raw: RawResult
    sentence: str = ""  # about the difference or the error
    line: int | None = None
    difference_kind: DifferenceKind | None = None
    points: int = 0
    relation: "Relation | None" = None  # the relation of the result to the expected one
    reason: str = ""  # the sentence about the relation, or about another reason
    notes: tuple[str, ...] = ()  # about the draws

    @property
    def message(self) -> str:
        """The sentence, its reason and its notes."""
        return " ".join(filter(None, (self.sentence, self.reason, *self.notes)))

    def with_reason(self, reason: str) -> Self:
        """Return the result with another reason, or with a first one after the notes."""
        if self.reason:
            return replace(self, reason=reason)
        return replace(self, notes=(*self.notes, reason))


def shows_expected(exercise: Exercise, test: TestCase) -> bool:
    """Return whether a learner may see a test's expected value, or a result's relation to it."""
    return not test.hidden and not exercise.is_prediction


def redact_difference(
    exercise: Exercise, test: TestCase, difference: Difference, *, got: Any, expected: Any
) -> Difference:
    """Return a difference, without the expected value if the exercise is a prediction."""
    if not exercise.is_prediction:
        return difference
    names = list(make_check(exercise, test).used_names(exercise.defines))
    facts = {"names": names, "kind": difference.kind, "got": got}
    if len(names) == 1:
        facts["is_quoted"] = isinstance(got, str) and not isinstance(expected, str)
        facts["is_text"] = isinstance(expected, str) and not isinstance(got, str)
    return Difference(difference.kind, "answer", facts, worst=difference.worst)


def make_result(
    test: TestCase,
    outcome: Outcome,
    message: str = "",
    *,
    points: int = 0,
    line: int | None = None,
    output: str = "",
) -> TestResult:
    """Return the result of a test from the parts that a learner may see."""
    return TestResult(
        id=test.id,
        description="" if test.hidden else test.description,
        hidden=test.hidden,
        outcome=outcome,
        points=points,
        max_points=test.points,
        message=message,
        line=line,
        output=output,
    )


def disclose(
    exercise: Exercise, test: TestCase, undisclosed: UndisclosedResult, best_effort: BestEffort
) -> TestResult:
    """Return the result of a hidden test with the part that it may disclose."""
    if undisclosed.outcome is Outcome.PASSED:
        return make_result(test, Outcome.PASSED, points=undisclosed.points)
    outcome = Outcome.FAILED if test.disclose == "nothing" else undisclosed.outcome
    # Safe to show: a prediction is never run, so its message holds only the learner's text.
    is_redacted = exercise.is_prediction and undisclosed.difference_kind is not None
    if is_redacted and test.disclose == "category":
        message = undisclosed.message
    else:
        message = best_effort.sentence(
            lambda: outcome_sentences.hidden_test_sentence(
                test.disclose,
                outcome,
                undisclosed.difference_kind,
                undisclosed.raw.inputs,
                test.holds,
            ),
            NOT_PASSED,
        )
    return make_result(test, outcome, message, points=undisclosed.points)


def not_run_result(test: TestCase, problem: str = "") -> TestResult:
    """Return the result of a test that did not run.

    Args:
        problem: The reason, if it keeps all tests from running; otherwise the program ended in an
            earlier test.
    """
    if not problem and test.hidden and test.disclose == "nothing":
        return make_result(test, Outcome.FAILED, NOT_PASSED)
    return make_result(test, Outcome.NOT_RUN, problem or outcome_sentences.NOT_RUN)


def timed_out_result(
    exercise: Exercise, test: TestCase, seconds: float, best_effort: BestEffort
) -> TestResult:
    """Return the result of a test in which the submission reached its wall-clock limit."""
    sentence = best_effort.sentence(lambda: outcome_sentences.endless_test_sentence(seconds))
    if not test.hidden:
        return make_result(test, Outcome.TIMED_OUT, sentence)
    undisclosed = UndisclosedResult(Outcome.TIMED_OUT, RawResult(0, None, None))
    return disclose(exercise, test, undisclosed, best_effort)
