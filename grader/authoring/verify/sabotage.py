"""Code that makes a right program wrong: its text is appended to the program.

It is one function, so that the program's own names stay unchanged, and it imports nothing of the
grader, because it runs where a submission does.
"""

import inspect
from typing import Literal

from grader.definitions.program_files import append_code

SabotageKind = Literal[
    "sevens", "zeros", "nan", "single", "empty", "empty batch", "several", "raises", "nothing",
    "argument", "stale", "transposed", "near", "plus one", "almost zero", "widened", "in place",
]  # fmt: skip


def sabotage(
    right: str, kind: SabotageKind, names: dict[str, bool], condition: str = "True"
) -> str:
    """Return a program with the code appended that makes it wrong; see `_wrong_on_purpose`."""
    call = f"_wrong_on_purpose({kind!r}, {condition!r}, {names!r}, globals())"
    return append_code(right, f"\n\n{inspect.getsource(_wrong_on_purpose)}\n\n{call}\n")


def _wrong_on_purpose(kind, condition, names, space):
    """Wrap what a program defines.

    Args:
        kind: How it becomes wrong.
        condition: An expression over the arguments of a call; elsewhere the answer is right.
        names: Names that the program defines, and whether each becomes wrong.
        space: The global names of the program.
    """
    import contextlib
    import copy
    import functools
    import inspect
    import io
    import sys
    import types

    import numpy as np

    class WrongOnPurposeError(Exception):
        pass

    inside = []
    first = {}

    def items_of(value, change):
        items = [change(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    def each(value, change):
        if isinstance(value, (list, tuple)):
            return items_of(value, lambda item: each(item, change))
        if isinstance(value, dict):
            return {key: each(item, change) for key, item in value.items()}
        return change(value)

    def filled(number):
        def change(value):
            if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
                return np.full_like(value, number)
            if isinstance(value, (bool, int, float, complex, np.generic)):
                return type(value)(number)
            if isinstance(value, str):
                return str(number)
            return number

        return change

    def not_a_number(value):
        if isinstance(value, np.ndarray):
            return np.full(value.shape, np.nan, value.dtype if value.dtype.kind in "fc" else float)
        return type(value)("nan") if isinstance(value, (float, np.inexact, str)) else np.nan

    def single(value):
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            return np.ones((1,) * value.ndim, value.dtype)
        return filled(1)(value)

    def empty(value):
        if isinstance(value, (list, dict, set, str)):
            return type(value)()
        if isinstance(value, tuple):
            return items_of(value, empty)
        if isinstance(value, np.ndarray) and value.ndim:
            return value[:0]
        return np.zeros(0, getattr(value, "dtype", float))

    def empty_batch(value):
        if isinstance(value, tuple):
            return items_of(value, empty_batch)
        if isinstance(value, np.ndarray):
            return np.zeros((0, *value.shape), value.dtype)
        return empty(value)

    def several(value):
        if isinstance(value, (bool, int, float, complex, np.generic, np.ndarray)):
            return np.broadcast_to(value, (3, 3, *np.shape(value))).copy()
        raise WrongOnPurposeError("no number")

    def plus_one(value):
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

    constants = {
        "sevens": lambda value: each(value, filled(7)),
        "zeros": lambda value: each(value, filled(0)),
        "nan": lambda value: each(value, not_a_number),
        "single": lambda value: each(value, single),
        "empty": empty,
        "empty batch": empty_batch,
        "several": lambda value: each(value, several),
    }

    def transposed(value):
        return value.T.copy() if isinstance(value, np.ndarray) else value

    def near(value):
        real = isinstance(value, (float, np.inexact))
        if real or (isinstance(value, np.ndarray) and value.dtype.kind in "fc"):
            return (value * 1.001).astype(value.dtype) if hasattr(value, "dtype") else value * 1.001
        return value

    changes = {
        "transposed": transposed,
        "near": near,
        "plus one": plus_one,
        "almost zero": almost_zero,
        "widened": widened,
    }

    def copied(value):
        try:
            return copy.deepcopy(value)
        except Exception:
            return value

    def redraw(value):  # what is drawn is an answer too
        pyplot = sys.modules.get("matplotlib.pyplot")
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()] if pyplot else []
        if hasattr(value, "get_figure"):
            figures.append(value.get_figure() or value)
        numbers = {"sevens": 7.0, "zeros": 0.0, "nan": np.nan}
        for figure in figures:
            if kind not in numbers:
                figure.clear()
            for axes in figure.axes:
                for line in axes.lines:
                    line.set_ydata(np.full(np.shape(line.get_ydata()), numbers[kind]))
                for image in axes.images:
                    image.set_data(np.full(np.shape(image.get_array()), numbers[kind]))
                for collection in axes.collections:
                    collection.set_offsets(
                        np.full(np.shape(collection.get_offsets()), numbers[kind])
                    )
                    if collection.get_array() is not None:
                        collection.set_array(
                            np.full(np.shape(collection.get_array()), numbers[kind])
                        )
                for bar in axes.patches:
                    bar.set(width=numbers[kind], height=numbers[kind])
        return bool(figures)

    def constant(right, args, kwargs, change):
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # what it prints is an answer too
                value = right(*copied(args), **copied(kwargs))
        except Exception:
            value = args[0] if args else 0.0
        if redraw(value) and not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
            return value
        return change(value)

    def answer(name, right, args, kwargs, arrays):
        if kind in constants:
            return constant(right, args, kwargs, constants[kind])
        match kind:
            case "raises":
                raise WrongOnPurposeError("wrong on purpose")
            case "nothing":
                return None
            case "argument":
                return next(iter([*args, *kwargs.values()]), None)
            case "stale":
                if name not in first:
                    first[name] = copied(right(*args, **kwargs))
                return copied(first[name])
        value = right(*args, **kwargs)
        if kind == "in place":
            for array in arrays:
                if array.flags.writeable:
                    array[...] = ~array if array.dtype.kind == "b" else array + 1
            return value
        if kind == "plus one" and value is None:
            print("wrong")  # noqa: T201  an answer too
        return each(value, changes[kind])

    def arrays_in(value):
        if isinstance(value, (list, tuple)):
            return [array for item in value for array in arrays_in(item)]
        if isinstance(value, dict):
            return arrays_in(list(value.values()))
        return [value] if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" else []

    def integers(arrays):
        kinds = {array.dtype.kind for array in arrays}
        return bool(kinds & set("iu")) and not kinds & set("fc")

    def is_met(right, args, kwargs, arrays, is_method):
        if condition == "True":
            return True
        known = {
            "np": np,
            "args": args,
            "kwargs": kwargs,
            "arrays": arrays,
            "integers": integers,
            "max_axes": max((array.ndim for array in arrays), default=-1),
            "max_arguments": len(inspect.signature(right).parameters) - is_method,
        }
        return bool(eval(condition, known))  # noqa: S307  a condition of ours

    def wrapped(name, right, is_wrong):
        is_method = isinstance(right, types.FunctionType) and "." in name

        @functools.wraps(right)
        def wrapper(*args, **kwargs):
            own, rest = args[:is_method], args[is_method:]
            arrays = [] if inside else arrays_in([*rest, *kwargs.values()])
            is_right = inside or not is_wrong or not is_met(right, rest, kwargs, arrays, is_method)
            inside.append(name)
            try:
                if is_right:
                    return right(*args, **kwargs)
                bound = functools.partial(right, *own) if own else right
                return answer(name, bound, rest, kwargs, arrays)
            finally:
                inside.pop()

        return wrapper

    in_making = ("raises", "plus one", "almost zero", "widened", "in place")

    def wrap_class(name, kept, is_wrong):
        for base in kept.__mro__[:-1]:
            for attribute, function in list(vars(base).items()):
                plain = not attribute.startswith("__") or attribute == "__call__"
                is_init = attribute == "__init__" and kind in in_making
                if isinstance(function, types.FunctionType) and (plain or is_init):
                    wrong = wrapped(f"{name}.{attribute}", function, is_wrong)
                    with contextlib.suppress(TypeError):
                        setattr(base, attribute, wrong)

    for name, is_wrong in names.items():
        right = space.get(name)
        if isinstance(right, type):
            wrap_class(name, right, is_wrong)
        elif callable(right):
            space[name] = wrapped(name, right, is_wrong)
        elif is_wrong and kind == "raises":
            space[name] = "wrong on purpose"
        elif is_wrong and kind not in in_making:
            space[name] = answer(name, lambda *_, right=right: right, (), {}, [])
