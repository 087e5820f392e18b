"""The properties that a test can name with `holds`, with their sentences.

A new property needs an entry here and a check in `grader.grading.checks.property`, and a sentence
in `grader.grading.feedback` if a breach is told by more than the entry.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedProperty:
    """A property that every right answer has."""

    meaning: str  # sentence for authors
    on_page: str  # sentence for learners on the page of a visible test
    in_hidden_test: str  # sentence about a breach in a hidden test
    difference: str = ""  # sentence about a breach; `{values}` is the sentence about the values
    moves: Literal["nothing", "one input", "inputs"] = "nothing"
    has_axis: bool = False  # whether a test may name its axis
    needs_against: bool = False  # whether it needs a second expression


PROPERTIES: Final[Mapping[str, NamedProperty]] = {
    "rows_sum_to_one": NamedProperty(
        meaning="The result adds up to one along `axis`, and nothing in it is negative.",
        on_page="No value is negative, and each row adds up to 1.",
        in_hidden_test="The rows are not all positive with a sum of 1 in this hidden test.",
        has_axis=True,
    ),
    "shift_invariant": NamedProperty(
        meaning="A constant added along `axis` of the inputs does not change the result.",
        on_page="A constant added to the inputs changes nothing.",
        in_hidden_test="The result changes when a constant is added to the inputs.",
        difference="A constant added to {moved} should change nothing. {values}",
        moves="inputs",
        has_axis=True,
    ),
    "causal": NamedProperty(
        meaning="What comes later along `axis` of the inputs does not change the result before it.",
        on_page="What comes later changes nothing before it.",
        in_hidden_test="The result at some position depends on later positions.",
        difference=(
            "Position {last} may not depend on later ones, but changing those changes the result "
            "up to it. {values}"
        ),
        moves="inputs",
        has_axis=True,
    ),
    "permutation_equivariant": NamedProperty(
        meaning="Inputs reordered along `axis` give the result in that order, too.",
        on_page="Reordering the inputs reorders the result in the same way.",
        in_hidden_test="Reordering the inputs does not just reorder the result.",
        difference="Reordering {moved} should reorder the result in the same way. {values}",
        moves="inputs",
        has_axis=True,
    ),
    "permutation_invariant": NamedProperty(
        meaning="Inputs reordered along `axis` give the same result.",
        on_page="The order of the inputs does not matter.",
        in_hidden_test="The result depends on the order of the inputs.",
        difference="Reordering {moved} should not change the result. {values}",
        moves="inputs",
        has_axis=True,
    ),
    "unchanged_inputs": NamedProperty(
        meaning="No argument is changed in place.",
        on_page="The inputs are as they were.",
        in_hidden_test="Your code changes its inputs in place in this hidden test.",
    ),
    "finite_at_large_values": NamedProperty(
        meaning="Inputs ten thousand times as large give no NaN and no infinity.",
        on_page="Large inputs give finite numbers too.",
        in_hidden_test="The result has NaN or infinity in it for large inputs.",
        moves="inputs",
    ),
    "gradient": NamedProperty(
        meaning="The result is the gradient of the number `against` with respect to the input.",
        on_page="The result agrees with finite differences.",
        in_hidden_test="The gradient does not agree with finite differences in this hidden test.",
        difference="The gradient differs from finite differences of {moved}. {values}",
        moves="one input",
        needs_against=True,
    ),
    "idempotent": NamedProperty(
        meaning="Applied to its own result in place of the input, it gives that again.",
        on_page="Applied to its own result, it changes nothing more.",
        in_hidden_test="Applying your function to its own result changes it once more.",
        difference="Applied to its own result, your function should change nothing more. {values}",
        moves="one input",
    ),
    "deterministic": NamedProperty(
        meaning="Called again with the same inputs, it gives exactly the same.",
        on_page="The same inputs give the same result.",
        in_hidden_test="Two calls with the same inputs give different results.",
        difference="Two calls with the same inputs should give the same. {values}",
    ),
    "two_ways_agree": NamedProperty(
        meaning="The result is that of `against`, another way to it.",
        on_page="Both ways give the same result.",
        in_hidden_test="Two ways to one result differ in this hidden test.",
        difference="The result should be that of `{against}`. {values}",
        needs_against=True,
    ),
}
