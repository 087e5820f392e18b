"""Bodies about objects and calls mean in the grader what they mean in plain pytest."""

from typing import TYPE_CHECKING, Final

import pytest

from tests.grading.plain_pytest import Probe

if TYPE_CHECKING:
    from tests.grading.conftest import Agree

_POINT: Final = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
"""

PROBES: Final = {
    "attribute": Probe("assert Point(3, 4).x == 3", _POINT, _POINT.replace("x, y\n", "y, x\n")),
    "method": Probe("assert Point(3, 4).norm() == 5", _POINT, _POINT.replace("0.5", "2")),
    "result": Probe("assert f(2) == 4", "def f(x): return 2 * x", "def f(x): return x"),
}


@pytest.mark.parametrize("name", PROBES)
def test_a_body_about_objects_means_what_it_means_in_plain_python(
    agree: "Agree", name: str
) -> None:
    """A right program passes and a wrong one fails in both, or lint refuses the body."""
    agree(PROBES[name])
