"""Values as Python expressions, for examples and ready tests."""

import math
from typing import Any

import numpy as np

_MOST_ITEMS = 400
_PLAIN = frozenset({bool, str, int, type(None)})  # no classes of their own
_DEFAULT = frozenset({"float64", "int64", "bool", "complex128"})


class NoExpressionError(Exception):
    """A value that no short expression makes."""


def expression(value: Any) -> str:  # noqa: ANN401, PLR0911  any value, a case for each type
    """Return an expression that evaluates to an equal value; NumPy is `np` in it.

    Raises:
        NoExpressionError: there is none, or it is too long.
    """
    match value:
        case None | bool() | str() | int():
            if type(value) not in _PLAIN or len(text := repr(value)) > _MOST_ITEMS:
                raise NoExpressionError(f"a {type(value).__name__}")
            return text
        case np.random.Generator():
            return "np.random.default_rng(0)"
        case np.ndarray():
            return _array(value)
        case np.generic():
            return f"np.{value.dtype.name}({_number(value.item())})"
        case float() | complex():
            return _number(value)
        case range() | slice():
            return repr(value)
    return _container(value)


def _container(value: Any) -> str:  # noqa: ANN401  any value
    match value:
        case tuple() if type(value) is tuple:
            items = [expression(item) for item in value]
            return f"({', '.join(items)}{',' * (len(items) == 1)})"
        case list():
            return f"[{', '.join(expression(item) for item in value)}]"
        case dict():
            pairs = (f"{expression(key)}: {expression(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case set() if value:
            return f"{{{', '.join(sorted(expression(item) for item in value))}}}"
    raise NoExpressionError(f"a {type(value).__name__}")


def short(value: Any) -> str:  # noqa: ANN401  any value
    """Return an expression, or else a short description."""
    try:
        text = expression(value)
    except NoExpressionError:
        shape = getattr(value, "shape", None)
        return f"<{type(value).__name__}{f' of shape {shape}' if shape is not None else ''}>"
    return text if len(text) <= _MOST_ITEMS else f"{text[:_MOST_ITEMS]}…"


def _number(value: complex) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def _array(value: np.ndarray[Any, Any]) -> str:
    if value.size > _MOST_ITEMS or value.dtype.kind not in "biufc":
        raise NoExpressionError(f"an array of shape {value.shape} and dtype {value.dtype}")
    name = value.dtype.name
    dtype = "" if name in _DEFAULT else f", dtype=np.{name}"
    if not value.size:
        return f"np.zeros({value.shape}, dtype={'bool' if name == 'bool' else f'np.{name}'})"
    return f"np.array({_nested(value.tolist())}{dtype})"


def _nested(value: Any) -> str:  # noqa: ANN401  a number or lists of them
    if isinstance(value, list):
        return f"[{', '.join(_nested(item) for item in value)}]"
    return _number(value) if isinstance(value, float | complex) else repr(value)
