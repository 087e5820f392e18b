"""The material that every benchmark grades: as an exercise, as a plain test, as source.

Imports nothing, so that the yardsticks start as light as they would be without us.
"""

TESTS = 12
SHAPE = (4, 8)

_SOLUTION = """\
import numpy as np


def softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
"""

_EXERCISE = """\
id: {slug}
title: Turn scores into weights
difficulty: beginner
xp: 5
instructions: Write `softmax(x)`, along the last axis.
defines: {{softmax: {{reference: "reference.softmax:softmax"}}}}
starter: |
  def softmax(x):
      ...
solution: |
{solution}
explanation: Subtracting the maximum keeps every exponent at or below zero.
tests:
{tests}
"""

_TEST = """\
  - id: draw-{number}
    description: random scores
    hidden: {hidden}
    given: |
      x = rng.standard_normal({shape})
    call: softmax(x)
"""

PLAIN_TEST = f"""\
import numpy as np
import pytest
from submission import softmax

from reference.softmax import softmax as expected


@pytest.mark.parametrize("seed", range({TESTS}))
def test_softmax(seed):
    x = np.random.default_rng(seed).standard_normal({SHAPE})
    np.testing.assert_allclose(softmax(x), expected(x), rtol=1e-7, atol=1e-9)
"""


def source(number: int) -> str:
    """Return a right solution; each number gives other bytes, so that none is graded for two."""
    return f"{_SOLUTION}\n# submission {number}\n"


def exercise(slug: str) -> str:
    """Return the YAML of an exercise with a third of its tests visible."""
    tests = (
        _TEST.format(number=number, hidden=str(number >= TESTS // 3).lower(), shape=SHAPE)
        for number in range(TESTS)
    )
    solution = "".join(f"  {line}\n" for line in _SOLUTION.splitlines())
    return _EXERCISE.format(slug=slug, solution=solution.rstrip(), tests="".join(tests))
