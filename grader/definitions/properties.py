"""The properties that a test can name with `holds`: what each means, and what goes with it."""

from typing import Final

from grader.definitions.exercise import Property

MEANINGS: Final[dict[Property, str]] = {
    "rows_sum_to_one": "The result adds up to one along `axis`, and nothing in it is negative.",
    "shift_invariant": "A constant added along `axis` of the inputs does not change the result.",
    "causal": "What comes later along `axis` of the inputs does not change the result before it.",
    "permutation_equivariant": "Inputs reordered along `axis` give the result in that order, too.",
    "permutation_invariant": "Inputs reordered along `axis` give the same result.",
    "unchanged_inputs": "No argument is changed in place.",
    "finite_at_large_values": "Inputs ten thousand times as large give no NaN and no infinity.",
    "gradient": "The result is the gradient of the number `against` with respect to the input.",
    "idempotent": "Applied to its own result in place of the input, it gives that again.",
    "deterministic": "Called again with the same inputs, it gives exactly the same.",
    "cached_equals_uncached": "The result is that of `against`, which does without the cache.",
}

WITH_AGAINST: Final = frozenset[Property]({"gradient", "cached_equals_uncached"})
"""Those that need a second expression."""

WITH_AXIS: Final = frozenset[Property](
    {
        "rows_sum_to_one",
        "shift_invariant",
        "causal",
        "permutation_equivariant",
        "permutation_invariant",
    }
)
"""Those that are about an axis."""

OF_ONE: Final = frozenset[Property]({"gradient", "idempotent"})
"""Those that move one input."""

OF_SEVERAL: Final = frozenset[Property](
    {
        "shift_invariant",
        "causal",
        "permutation_equivariant",
        "permutation_invariant",
        "finite_at_large_values",
    }
)
"""Those that move one input or more; the others take their inputs as they are."""
