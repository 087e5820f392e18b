"""Programs that are wrong under one condition, made from a right one.

Where every hidden test accepts such a program, none of them ever meets the condition, or none looks
closely enough there. Whether that is a gap, only the author knows: it is, if the instructions
promise the case. Each program is the right one with what it defines wrapped; calls between the
wrapped functions themselves go to the right ones.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.definitions.exercise import Exercise


@dataclass(frozen=True, slots=True)
class ConditionalMistake:
    """One program that is wrong under a condition."""

    id: str  # "float32"
    source: str


# Over `arrays`, those among the arguments; over `args` and `kwargs`, all of them.
_CONDITIONS: Final[dict[str, tuple[str, str]]] = {
    "float32": ("wrong", "any(a.dtype == np.float32 for a in arrays)"),
    "float16": ("wrong", "any(a.dtype == np.float16 for a in arrays)"),
    "integers": ("wrong", "integers(arrays)"),
    "no axis": ("wrong", "any(a.ndim == 0 for a in arrays)"),
    "one axis": ("wrong", "most_axes == 1"),
    "two axes": ("wrong", "most_axes == 2"),
    "three axes": ("wrong", "most_axes == 3"),
    "four axes": ("wrong", "most_axes == 4"),
    "first axis of length 1": ("wrong", "any(a.ndim and a.shape[0] == 1 for a in arrays)"),
    "last axis of length 1": ("wrong", "any(a.ndim and a.shape[-1] == 1 for a in arrays)"),
    "an axis of length 0": ("wrong", "any(0 in a.shape for a in arrays)"),
    "axes of one length": ("wrong", "any(a.shape[-2:-1] == a.shape[-1:] > (1,) for a in arrays)"),
    "minus infinity": (
        "wrong",
        "any(a.dtype.kind == 'f' and np.isneginf(a).any() for a in arrays)",
    ),
    "numbers above 800": ("wrong", "any((np.abs(a[np.isfinite(a)]) > 800).any() for a in arrays)"),
    "Fortran order": ("wrong", "any(a.flags.fnc for a in arrays)"),
    "neither C nor Fortran order": ("wrong", "any(not a.flags.forc for a in arrays)"),
    "arguments left out": ("wrong", "len(args) + len(kwargs) < most_arguments"),
    "no argument left out": ("wrong", "len(args) + len(kwargs) == most_arguments"),
    "an exact 0": ("almost zero", "True"),
    "float32 widened to float64": ("widened", "any(a.dtype == np.float32 for a in arrays)"),
    "float16 widened to float64": ("widened", "any(a.dtype == np.float16 for a in arrays)"),
    "integers turned into floats": ("widened", "integers(arrays)"),
    "inputs changed in place": ("in place", "True"),
}
"""Wrong programs by name: the fault in the result or the arguments, and its condition."""

_OPTIONAL: Final = ("arguments left out", "no argument left out")

_WRAPPER: Final = """

def _wrong_under_a_condition(harm, condition, names, space):
    import functools
    import inspect
    import types

    import numpy as np

    inside = []

    def leaves(value):
        if isinstance(value, (list, tuple)):
            return [leaf for item in value for leaf in leaves(item)]
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        return [value] if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" else []

    def integers(arrays):
        kinds = {array.dtype.kind for array in arrays}
        return bool(kinds & set("iu")) and not kinds & set("fc")

    def each(value, change):
        if isinstance(value, (list, tuple)):
            items = [each(item, change) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, dict):
            return {key: each(item, change) for key, item in value.items()}
        return change(value)

    def wrong(value):
        if isinstance(value, str):
            return value + "x"
        if isinstance(value, (bool, np.bool_)):
            return type(value)(not value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "b":
            return ~value
        if isinstance(value, (int, float, complex, np.generic)):
            return type(value)(value + 1)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iufc":
            return (value + 1).astype(value.dtype)
        return value

    def almost_zero(value):
        if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
            small = np.asarray(1e-12, value.dtype) or np.finfo(value.dtype).tiny
            return np.where(value == 0, small, value)[()]
        return 1e-12 if isinstance(value, float) and value == 0 else value

    def widened(value):
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iuf":
            return value.astype(np.float64)
        return float(value) if type(value) is int else value

    def harmed(value, arrays):
        if harm == "wrong":
            if value is None:
                print("wrong")
            return each(value, wrong)
        if harm == "almost zero":
            return each(value, almost_zero)
        if harm == "widened":
            return each(value, widened)
        for array in arrays:
            if array.flags.writeable:
                array[...] = ~array if array.dtype.kind == "b" else array + 1
        return value

    def wrapped(name, right, is_method):
        parameters = inspect.signature(right).parameters.values()
        most_arguments = len(parameters) - is_method

        @functools.wraps(right)
        def stand_in(*args, **kwargs):
            if inside:
                return right(*args, **kwargs)
            own, args = args[:is_method], args[is_method:]
            arrays = leaves([*args, *kwargs.values()])
            most_axes = max((array.ndim for array in arrays), default=-1)
            known = {
                "np": np, "args": args, "kwargs": kwargs, "arrays": arrays, "integers": integers,
                "most_axes": most_axes, "most_arguments": most_arguments,
            }
            is_harmed = bool(eval(condition, known))
            inside.append(name)
            try:
                value = right(*own, *args, **kwargs)
            finally:
                inside.pop()
            return harmed(value, arrays) if is_harmed else value

        return stand_in

    for name in names:
        right = space.get(name)
        if isinstance(right, type):
            for attribute, function in list(vars(right).items()):
                is_called = not attribute.startswith("__") or attribute in ("__call__", "__init__")
                if isinstance(function, types.FunctionType) and is_called:
                    setattr(right, attribute, wrapped(attribute, function, 1))
        elif callable(right):
            space[name] = wrapped(name, right, 0)


_wrong_under_a_condition({harm!r}, {condition!r}, {names!r}, globals())
"""


def conditional_mistakes(exercise: Exercise, right: str) -> Iterator[ConditionalMistake]:
    """Yield the programs of an exercise.

    Args:
        exercise: what must be defined.
        right: a program that is right.
    """
    if exercise.kind == "predict":  # nothing is called
        return
    names = list(exercise.defines)
    asked = [node for node in ast.parse(right).body if getattr(node, "name", "") in names]
    functions = [
        node for each in asked for node in ast.walk(each) if isinstance(node, ast.arguments)
    ]
    has_defaults = any(each.defaults or any(each.kw_defaults) for each in functions)
    for name, (harm, condition) in _CONDITIONS.items():
        if name in _OPTIONAL and not has_defaults:
            continue
        wrapper = _WRAPPER
        for key, value in (("harm", harm), ("condition", condition), ("names", names)):
            wrapper = wrapper.replace(f"{{{key}!r}}", repr(value))
        yield ConditionalMistake(name, f"{right.rstrip()}\n{wrapper}")
