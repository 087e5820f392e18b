"""How many bytes values hold, roughly: arrays are what counts, and they say it exactly."""

import builtins
import gc
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_ATOMS: Final = frozenset({bool, bytes, complex, float, int, str, type(None)})  # by far the most


def arrays_in(value: object) -> Iterator[npt.NDArray[Any]]:
    """Yield the arrays in a value that is plain data."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))


def bytes_in(value: object) -> int:
    """Return the bytes of the arrays in a value that is plain data."""
    return sum(array.nbytes for array in arrays_in(value))


def bytes_held(*values: Any) -> int:  # noqa: ANN401  any value
    """Estimate the bytes that values hold, with all that is in them; what is shared counts once."""
    total = 0
    seen = {id(vars(builtins))}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) in _ATOMS:
            total += sys.getsizeof(value)
        elif not _is_of_the_program(value):
            total += sys.getsizeof(value)
            waiting.extend(_parts(value))
    return total


def _is_of_the_program(value: Any) -> bool:  # noqa: ANN401  any value
    """Tell whether it was there before: a class, a module, or the names in one."""
    if isinstance(value, dict):
        name = value.get("__name__")
        module = sys.modules.get(name) if isinstance(name, str) else None
        return module is not None and vars(module) is value
    return isinstance(value, (type, ModuleType))


def _parts(value: Any) -> Iterator[Any]:  # noqa: ANN401  any value
    """Yield what an object refers to, as the collector of garbage sees it."""
    if isinstance(value, np.ndarray):  # which the collector does not look into
        if value.base is not None:
            yield value.base
        elif value.dtype.hasobject:
            yield from value.flat
    yield from gc.get_referents(value)
