"""Wrappers that make a right program wrong."""

import contextlib
import copy
import functools
import inspect
import io
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

_DRAWN_NUMBERS = {"sevens": 7.0, "zeros": 0.0, "nan": np.nan}
# These kinds leave values and constructors alone, or raise in a constructor too.
_NEEDS_A_CALL = ("raises", "plus one", "almost zero", "widened", "in place")


class WrongOnPurposeError(Exception):
    """The error of a program that raises instead of answering."""


def make_wrong(
    kind: str, condition: str, names: Mapping[str, bool], program: dict[str, Any]
) -> None:
    """Wrap what a program defines.

    Args:
        kind: How it becomes wrong.
        condition: An expression over the arguments of a call; elsewhere the answer is right.
        names: Names that the program defines, and whether each becomes wrong.
        program: The global names of the program.
    """
    wrapping = _Wrapping(kind, condition)
    for name, is_wrong in names.items():
        right = program.get(name)
        if isinstance(right, type):
            wrapping.wrap_class(name, right, is_wrong=is_wrong)
        elif callable(right):
            program[name] = wrapping.wrap(name, right, is_wrong=is_wrong)
        elif is_wrong and kind == "raises":
            program[name] = "wrong on purpose"
        elif is_wrong and kind not in _NEEDS_A_CALL:
            program[name] = wrapping.answer(name, _Call(lambda right=right: right, (), {}))


class _Wrapping:
    """A way in which the functions and classes of one program are made wrong."""

    def __init__(self, kind: str, condition: str) -> None:
        self._kind = kind
        self._condition = condition
        self._running: list[str] = []  # names of the wrapped functions that have not returned
        self._first_results: dict[str, Any] = {}

    def wrap_class(self, name: str, right: type, *, is_wrong: bool) -> None:
        """Wrap the methods of a class and of its bases in place."""
        for base in right.__mro__[:-1]:
            for attribute, function in list(vars(base).items()):
                is_plain = not attribute.startswith("__") or attribute == "__call__"
                is_init = attribute == "__init__" and self._kind in _NEEDS_A_CALL
                if isinstance(function, types.FunctionType) and (is_plain or is_init):
                    wrong = self.wrap(f"{name}.{attribute}", function, is_wrong=is_wrong)
                    with contextlib.suppress(TypeError):
                        setattr(base, attribute, wrong)

    def wrap(self, name: str, right: Callable[..., Any], *, is_wrong: bool) -> Callable[..., Any]:
        """Return a function that is wrong if the condition is met and no other one is running."""
        is_method = isinstance(right, types.FunctionType) and "." in name

        @functools.wraps(right)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            own, rest = args[:is_method], args[is_method:]
            call = _Call(functools.partial(right, *own) if own else right, rest, kwargs)
            is_right = self._running or not is_wrong or not self._is_met(call)
            self._running.append(name)
            try:
                return right(*args, **kwargs) if is_right else self.answer(name, call)
            finally:
                self._running.pop()

        return wrapper

    def _is_met(self, call: "_Call") -> bool:
        if self._condition == "True":
            return True
        names = {
            "np": np,
            "args": call.args,
            "kwargs": call.kwargs,
            "arrays": call.arrays,
            "integers": _are_integers,
            "max_axes": max((array.ndim for array in call.arrays), default=-1),
            "max_arguments": len(inspect.signature(call.right).parameters),
        }
        return bool(eval(self._condition, names))  # noqa: S307  a condition of ours

    def answer(self, name: str, call: "_Call") -> Any:
        """Return the wrong result of a call."""
        if self._kind in _CONSTANTS:
            return self._constant(call)
        match self._kind:
            case "raises":
                raise WrongOnPurposeError("wrong on purpose")
            case "nothing":
                return None
            case "argument":
                return next(iter([*call.args, *call.kwargs.values()]), None)
            case "stale":
                if name not in self._first_results:
                    self._first_results[name] = _copied(call.run())
                return _copied(self._first_results[name])
            case "in place":
                arrays = call.arrays  # before the function can exchange them
                value = call.run()
                _change_in_place(arrays)
                return value
        value = call.run()
        if self._kind == "plus one" and value is None:
            print("wrong")  # noqa: T201  an answer too
        return change_parts(value, _CHANGES[self._kind])

    def _constant(self, call: "_Call") -> Any:
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # what it prints is an answer too
                value = call.right(*_copied(call.args), **_copied(call.kwargs))
        except Exception:
            value = call.args[0] if call.args else 0.0
        has_drawn = _redraw(value, _DRAWN_NUMBERS.get(self._kind))
        if has_drawn and not isinstance(value, np.ndarray) and not is_number(value):
            return value
        return _CONSTANTS[self._kind](value)


class _Call(NamedTuple):
    """A call of a right function; `self` is bound to a method."""

    right: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]

    @property
    def arrays(self) -> list[Any]:
        """The arrays of numbers among the arguments."""
        return [*_arrays_in([*self.args, *self.kwargs.values()])]

    def run(self) -> Any:
        """Return the right result."""
        return self.right(*self.args, **self.kwargs)


def _change_in_place(arrays: Iterable[Any]) -> None:
    for array in arrays:
        if array.flags.writeable:
            array[...] = ~array if array.dtype.kind == "b" else array + 1


def _redraw(value: Any, number: float | None) -> bool:
    """Draw a number in place of all data, or clear the figures; return whether there are any.

    What is drawn is an answer too.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()] if pyplot else []
    if hasattr(value, "get_figure"):
        figures.append(value.get_figure() or value)
    for figure in figures:
        if number is None:
            figure.clear()
        for axes in figure.axes:
            for line in axes.lines:
                line.set_ydata(np.full(np.shape(line.get_ydata()), number))
            for image in axes.images:
                image.set_data(np.full(np.shape(image.get_array()), number))
            for collection in axes.collections:
                collection.set_offsets(np.full(np.shape(collection.get_offsets()), number))
                if collection.get_array() is not None:
                    collection.set_array(np.full(np.shape(collection.get_array()), number))
            for bar in axes.patches:
                bar.set(width=number, height=number)
    return bool(figures)


def _arrays_in(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays_in(item)
    elif isinstance(value, dict):
        yield from _arrays_in(list(value.values()))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        yield value


def _are_integers(arrays: Sequence[np.ndarray]) -> bool:
    kinds = {array.dtype.kind for array in arrays}
    return bool(kinds & set("iu")) and not kinds & set("fc")


def is_number(value: Any) -> bool:
    """Return whether a value is a number of Python or NumPy."""
    return isinstance(value, (int, float, complex, np.generic))


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def _change_items(value: Any, change: Callable[[Any], Any]) -> Any:
    items = [change(item) for item in value]
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def change_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with each part changed that is not a list, a tuple or a dict."""
    if isinstance(value, (list, tuple)):
        return _change_items(value, lambda item: change_parts(item, change))
    if isinstance(value, dict):
        return {key: change_parts(item, change) for key, item in value.items()}
    return change(value)


def fill(value: Any, number: int) -> Any:
    """Return a number in the form of a value."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return np.full_like(value, number)
    if is_number(value):
        return type(value)(number)
    return str(number) if isinstance(value, str) else number


def fill_with_nan(value: Any) -> Any:
    """Return NaN in the shape of a value."""
    if isinstance(value, np.ndarray):
        return np.full(value.shape, np.nan, value.dtype if value.dtype.kind in "fc" else float)
    return type(value)("nan") if isinstance(value, (float, np.inexact, str)) else np.nan


def _single(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return np.ones((1,) * value.ndim, value.dtype)
    return fill(value, 1)


def empty(value: Any) -> Any:
    """Return a value of the same kind without items."""
    if isinstance(value, (list, dict, set, str)):
        return type(value)()
    if isinstance(value, tuple):
        return _change_items(value, empty)
    if isinstance(value, np.ndarray) and value.ndim:
        return value[:0]
    return np.zeros(0, getattr(value, "dtype", float))


def _empty_batch(value: Any) -> Any:
    if isinstance(value, tuple):
        return _change_items(value, _empty_batch)
    if isinstance(value, np.ndarray):
        return np.zeros((0, *value.shape), value.dtype)
    return empty(value)


def _several(value: Any) -> Any:
    if isinstance(value, np.ndarray) or is_number(value):
        return np.broadcast_to(value, (3, 3, *np.shape(value))).copy()
    raise WrongOnPurposeError("no number")


def _transposed(value: Any) -> Any:
    return value.T.copy() if isinstance(value, np.ndarray) else value


def _near(value: Any) -> Any:
    is_real = isinstance(value, (float, np.inexact))
    if is_real or (isinstance(value, np.ndarray) and value.dtype.kind in "fc"):
        return (value * 1.001).astype(value.dtype) if hasattr(value, "dtype") else value * 1.001
    return value


def _plus_one(value: Any) -> Any:
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, (bool, np.bool_)):
        return type(value)(not value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "b":
        return ~value
    if is_number(value):
        return type(value)(value + 1)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufc":
        return (value + 1).astype(value.dtype)
    return value


def _almost_zero(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
        small = np.asarray(1e-12, value.dtype) or np.finfo(value.dtype).tiny
        return np.where(value == 0, small, value)[()]
    return 1e-12 if isinstance(value, float) and value == 0 else value


def _widened(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iuf":
        return value.astype(np.float64)
    return float(value) if type(value) is int else value


# Kinds whose result does not depend on the right values, apart from their form.
_CONSTANTS: dict[str, Callable[[Any], Any]] = {
    "sevens": lambda value: change_parts(value, lambda part: fill(part, 7)),
    "zeros": lambda value: change_parts(value, lambda part: fill(part, 0)),
    "nan": lambda value: change_parts(value, fill_with_nan),
    "single": lambda value: change_parts(value, _single),
    "empty": empty,
    "empty batch": _empty_batch,
    "several": lambda value: change_parts(value, _several),
}
_CHANGES = {
    "transposed": _transposed,
    "near": _near,
    "plus one": _plus_one,
    "almost zero": _almost_zero,
    "widened": _widened,
}
