"""The tests of an exercise, run on a loaded program."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.definitions.exercise import TestCase
from grader.grading.checks import Judgement, judge, make_check
from grader.grading.comparison.compare import Difference
from grader.grading.comparison.printed_text import compare_text
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.feedback import outcome_sentences
from grader.grading.feedback.difference_sentences import item_names, wrong_result_sentence
from grader.grading.program.author_code import TooLargeError, TooLongError
from grader.grading.program.loaded_program import LoadedProgram, ending_problem
from grader.grading.program.proxies import NoValueError
from grader.grading.results.error_outcome import classify_error
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import Outcome
from grader.grading.run.best_effort import BestEffort
from grader.grading.run.disclosure import UndisclosedResult, redact_difference, shows_expected
from grader.grading.run.related_results import relate_to_expected
from grader.sandbox.answers import ChildGoneError, Returned, Unsupported
from grader.sandbox.limits import AUTHOR_SECONDS

if TYPE_CHECKING:
    from grader.grading.comparison.relations.pair import Relation

_RETURN_OF_VALUE = re.compile(r"^\s+return\s+(?!None\b)\S", re.MULTILINE)


class ProgramTester:
    """A runner of tests on one loaded program.

    Args:
        with_reasons: Whether results have sentences about the failure, which take time.

    Attributes:
        ending: The outcome of the test in which the child ended, or None while it runs.
    """

    def __init__(
        self,
        oracle: Oracle,
        program: LoadedProgram,
        best_effort: BestEffort,
        *,
        with_reasons: bool,
    ) -> None:
        self.ending: Outcome | None = None
        self._oracle = oracle
        self._exercise = oracle.exercise
        self._program = program
        self._with_reasons = with_reasons
        self._best_effort = best_effort
        self._sentence = best_effort.sentence

    def run(self, test: TestCase) -> UndisclosedResult:
        """Judge the draws up to the first failure, or all of them for partial credit.

        Partial credit is rounded down to whole points.
        """
        draws = self._oracle.draws(test)
        failed: UndisclosedResult | None = None
        passed = 0
        for draw in draws:
            begin = self._program.child.output_size
            try:
                judgement = judge(self._program, self._oracle, test, draw)
            except (NoValueError, ChildGoneError, TooLongError, TooLargeError) as error:
                result = self._explain_error(test, draw, error)
            else:
                result = self._explain_judgement(test, draw, judgement, begin)
            if result.outcome is Outcome.PASSED:
                passed += 1
                continue
            failed = failed or result
            if self.ending is not None or not test.partial:
                break
        if failed is None:
            return replace(result, points=test.points)
        if not test.partial:
            return failed
        points = test.points * passed // len(draws)
        note = self._sentence(
            lambda: outcome_sentences.partial_credit_note(passed, len(draws), points)
        )
        return replace(failed, notes=(*failed.notes, note), points=points)

    def _explain_error(
        self,
        test: TestCase,
        draw: Draw,
        error: NoValueError | ChildGoneError | TooLongError | TooLargeError,
    ) -> UndisclosedResult:
        """Return the result of a draw that could not be judged."""
        raw = RawResult(draw.number, None, draw.expected, draw.inputs)
        match error:
            case NoValueError():
                return self._without_value(test, error, replace(raw, got=error.answer))
            case ChildGoneError():
                problem = ending_problem(error, self._program.text)
                self.ending = problem.outcome
                sentence = self._sentence(problem.sentence)
                return UndisclosedResult(problem.outcome, raw, sentence, problem.line)
            case TooLongError():
                seconds = self._program.child.limits.wall_seconds + AUTHOR_SECONDS
                sentence = self._sentence(lambda: outcome_sentences.endless_test_sentence(seconds))
                return UndisclosedResult(Outcome.TIMED_OUT, raw, sentence)
        return UndisclosedResult(Outcome.OUT_OF_MEMORY, raw, outcome_sentences.TOO_LARGE)

    def _explain_judgement(
        self, test: TestCase, draw: Draw, judgement: Judgement, begin: int
    ) -> UndisclosedResult:
        """Return the result of a draw that was judged, with the reason for a difference.

        Args:
            begin: The size of the output before the draw.
        """
        got = judgement.got
        raw = RawResult(draw.number, got, draw.expected, draw.inputs)
        if judgement.difference is None:
            return UndisclosedResult(Outcome.PASSED, raw)
        difference = redact_difference(
            self._exercise, test, judgement.difference, got=got, expected=draw.expected
        )
        kind, worst, path = difference.kind, difference.worst, difference.path
        raw = replace(raw, difference_kind=kind, worst=worst, path=path)
        points = int(judgement.share * test.points)
        result = UndisclosedResult(Outcome.FAILED, raw, difference_kind=kind, points=points)
        if not self._with_reasons:
            return result
        items = item_names(self._exercise.instructions, draw.expected)
        relation, reason = None, ""
        if shows_expected(self._exercise, test):
            relation = self._best_effort.make(
                "sentence", lambda: relate_to_expected(self._oracle, test, kind, draw, got), None
            )
            reason = self._sentence(
                lambda: self._reason_sentence(test, draw, difference, relation, items, begin)
            )
        sentence = self._sentence(
            lambda: wrong_result_sentence(difference, items, has_reason=bool(reason))
        )
        note = outcome_sentences.draw_note(draw.number, len(self._oracle.draws(test)))
        return replace(result, sentence=sentence, relation=relation, reason=reason, notes=(note,))

    def _without_value(
        self, test: TestCase, error: NoValueError, raw: RawResult
    ) -> UndisclosedResult:
        answer = error.answer
        if isinstance(answer, Unsupported):
            sentence = self._sentence(
                lambda: outcome_sentences.unsupported_result_sentence(answer, raw.expected)
            )
            kind = DifferenceKind.SHAPE if answer.is_too_large else DifferenceKind.TYPE
            return UndisclosedResult(Outcome.FAILED, raw, sentence, difference_kind=kind)
        line = answer.frames[-1][0] if answer.frames else None
        sentence = ""
        if self._with_reasons:
            check, program = make_check(self._exercise, test), self._program
            sentence = self._sentence(
                lambda: outcome_sentences.error_sentence(
                    answer, check.failing_code(error), program.defined, program.text
                )
            )
        return UndisclosedResult(classify_error(answer), raw, sentence, line)

    def _reason_sentence(
        self,
        test: TestCase,
        draw: Draw,
        difference: Difference,
        relation: "Relation | None",
        items: Sequence[str],
        begin: int,
    ) -> str:
        """Return the sentence about the reason why a result is wrong, or "" if it is unknown.

        Args:
            relation: The relation of the result to the expected one.
            items: The names that the task gives the result's items.
            begin: The size of the output before the draw.
        """
        if relation is not None:
            from grader.grading.feedback.relation_sentences import relation_sentence

            return relation_sentence(relation, items=items)
        kind, source = difference.kind, self._program.text.source
        code, starter = (  # without blank lines and comments
            [words for line in text.splitlines() if (words := line.partition("#")[0].rstrip())]
            for text in (source, self._exercise.starter)
        )
        if kind in (DifferenceKind.NOTHING, DifferenceKind.SILENCE) and code == starter:
            return outcome_sentences.STARTER
        returns_value = _RETURN_OF_VALUE.search(source)
        if kind is DifferenceKind.SILENCE and "print" not in source and returns_value:
            return outcome_sentences.RETURNED
        if kind is DifferenceKind.NOTHING and difference.path == ():
            return self._missing_return_sentence(test, draw, begin)
        return ""

    def _missing_return_sentence(self, test: TestCase, draw: Draw, begin: int) -> str:
        """Return the sentence about a function that computes or prints a value but returns None."""
        child, source = self._program.child, self._program.text.source
        printed = child.output(begin)
        try:
            if printed.strip() and compare_text(str(draw.expected), printed) is None:
                return outcome_sentences.PRINTED
            for name in make_check(self._exercise, test).used_names(self._exercise.defines):
                answer = child.ask("find_unreturned_value", source, name)
                if isinstance(answer, Returned) and answer.value is not None:
                    return outcome_sentences.unreturned_value_sentence(
                        answer.value, self._program.text
                    )
        except ChildGoneError:
            self.ending = Outcome.FAILED
        return outcome_sentences.ONLY_PRINTED if printed.strip() else ""
