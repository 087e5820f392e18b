"""How many bytes values hold, roughly: arrays are what counts, and they say it exactly."""

import builtins
import sys
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import numpy as np


def bytes_held(*values: Any) -> int:  # noqa: ANN401  any value
    """Estimate the bytes that values hold, with all that is in them; what is shared counts once."""
    total = 0
    seen = {id(vars(builtins))}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            total += sys.getsizeof(value)
            waiting.extend(_parts(value))
    return total


def _parts(value: Any) -> Iterable[Any]:  # noqa: ANN401  any value
    if isinstance(value, dict):
        return (*value, *value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, np.ndarray):
        return () if value.base is None else (value.base,)
    if isinstance(value, FunctionType):  # with the names that it was made among
        return (value.__globals__,)
    return ()
