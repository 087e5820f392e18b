"""Relations between wrong results of a submission and the right ones, such as a factor."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grader.definitions.exercise import Exercise, TestCase, TestId
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.feedback.difference_sentences import item_names
from grader.grading.results.raw_result import DifferenceKind
from grader.grading.run.disclosure import UndisclosedResult

if TYPE_CHECKING:
    from grader.grading.comparison.relations.pair import Relation

# The kinds of difference that a relation can explain; a misplaced mask causes infinities.
_KINDS = (DifferenceKind.SHAPE, DifferenceKind.NOT_FINITE, DifferenceKind.VALUES)


def relate_to_expected(
    oracle: Oracle, test: TestCase, kind: DifferenceKind, draw: Draw, got: object
) -> "Relation | None":
    """Return the relation of a wrong result to the right one, or None."""
    if kind not in _KINDS:
        return None
    from grader.grading.comparison.relations import find_relation  # only failures need it

    return find_relation(oracle.exact(test, draw), got, draw.inputs)


def reasons_with_origins(
    exercise: Exercise, undisclosed: Mapping[TestId, UndisclosedResult]
) -> dict[TestId, str]:
    """Return the sentences about factors whose formula other tests confirm.

    Hidden tests can confirm a formula too. The sentence says nothing else about them.
    """
    without_origin = {
        test_id: result.relation
        for test_id, result in undisclosed.items()
        if result.relation is not None and result.relation.origins
    }
    if not without_origin:
        return {}
    from grader.grading.comparison.relations import find_relation
    from grader.grading.comparison.relations.factors import find_shared_origin
    from grader.grading.feedback.relation_sentences import relation_sentence

    relations = dict(without_origin)
    for test in exercise.tests:
        result = undisclosed.get(test.id)
        is_disclosed = test.hidden and test.disclose != "nothing"
        if not is_disclosed or result is None or result.raw.difference_kind not in _KINDS:
            continue
        if related := find_relation(result.raw.expected, result.raw.got, result.raw.inputs):
            relations[test.id] = related
    reasons: dict[TestId, str] = {}
    for test_id, one in without_origin.items():
        others = [relation for other_id, relation in relations.items() if other_id != test_id]
        if (origin := find_shared_origin(one, others)) is not None:
            items = item_names(exercise.instructions, undisclosed[test_id].raw.expected)
            reasons[test_id] = relation_sentence(one, origin, items)
    return reasons
