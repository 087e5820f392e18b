"""Relations between wrong results of a submission and the right ones, such as a factor."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.definitions.exercise import TestCase, TestId
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.feedback.difference_sentences import item_names
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import TestResult

if TYPE_CHECKING:
    from grader.grading.comparison.relations.pair import Relation

# The kinds of difference that a relation can explain; a misplaced mask causes infinities.
_KINDS = (DifferenceKind.SHAPE, DifferenceKind.NOT_FINITE, DifferenceKind.VALUES)


class RelatedResults:
    """The relations found in the results of one submission, with their sentences."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._exercise = oracle.exercise
        # Relations whose formula other tests may confirm, each with its sentence so far.
        self._without_origin: dict[TestId, tuple[Relation, str]] = {}

    def sentence(self, test: TestCase, kind: DifferenceKind, draw: Draw, got: object) -> str:
        """Return the sentence about the relation of a wrong result to the right one, or "".

        Call it only for a test that shows its expected value, which the relation would give away.
        """
        if kind not in _KINDS:
            return ""
        from grader.grading.comparison.relations import find_relation  # only failures need it
        from grader.grading.feedback.relation_sentences import relation_sentence

        explanation = find_relation(self._oracle.exact(test, draw), got, draw.inputs)
        if explanation is None:
            return ""
        items = item_names(self._exercise.instructions, draw.expected)
        sentence = relation_sentence(explanation, items=items)
        if explanation.origins:
            self._without_origin[test.id] = (explanation, sentence)
        return sentence

    def with_origins(
        self, results: Mapping[TestId, TestResult], observed: Mapping[TestId, RawResult]
    ) -> dict[TestId, TestResult]:
        """Return the results, with a factor's formula in each message where other tests confirm it.

        Hidden tests can confirm a formula too. The message says nothing else about them.
        """
        changed = dict(results)
        if not self._without_origin:
            return changed
        from grader.grading.comparison.relations import find_relation
        from grader.grading.comparison.relations.factors import find_shared_origin
        from grader.grading.feedback.relation_sentences import relation_sentence

        relations = {test_id: known for test_id, (known, _) in self._without_origin.items()}
        for test in self._exercise.tests:
            raw = observed.get(test.id)
            is_disclosed = test.hidden and test.disclose != "nothing"
            if not is_disclosed or raw is None or raw.difference_kind not in _KINDS:
                continue
            if related := find_relation(raw.expected, raw.got, raw.inputs):
                relations[test.id] = related
        for test_id, (one, earlier) in self._without_origin.items():
            others = [relation for other_id, relation in relations.items() if other_id != test_id]
            origin, result = find_shared_origin(one, others), results.get(test_id)
            if origin is not None and result is not None:
                # A relation that needs an origin may have had no sentence when the test ran.
                items = item_names(self._exercise.instructions, observed[test_id].expected)
                sentence, message = relation_sentence(one, origin, items), result.message
                message = (
                    message.replace(earlier, sentence, 1) if earlier else f"{message} {sentence}"
                )
                changed[test_id] = replace(result, message=message)
        return changed
