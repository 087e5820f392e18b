"""The CSS class in a colour ramp for a number."""

import math
from collections.abc import Callable, Sequence

from grader.reports.palette import DIVERGING, MIDDLE, SEQUENTIAL, STEPS

_NOT_A_NUMBER = "not-finite"


def shade_for(values: Sequence[float]) -> Callable[[float], str]:
    """Return the function that gives each of these values its CSS class.

    Values from 0 to 1 are weights and get the sequential ramp with ends 0 and 1. Any others get the
    diverging ramp with middle 0, whose ends are the largest absolute value. Infinities and nan get
    a class of their own.
    """
    finite = [value for value in values if math.isfinite(value)]
    is_share = all(0 <= value <= 1 for value in finite)
    largest = 1.0 if is_share else max(map(abs, finite))

    def shade(value: float) -> str:
        if not math.isfinite(value):
            return _NOT_A_NUMBER
        if is_share:
            return SEQUENTIAL.step_class(round(value * (STEPS - 1)))
        return DIVERGING.step_class(MIDDLE + round(value / largest * MIDDLE))

    return shade
