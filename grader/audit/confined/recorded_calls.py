"""Calls that tests make to a program: recorded, or answered with a wrong result.

The hook is a line appended to the program's source, so it works however the tests load the program.
Only calls from outside the program count.
"""

import base64
import contextlib
import functools
import pickle
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from grader.audit.confined import pytest_run
from grader.audit.confined.perturb import Script
from grader.authoring.verify.in_child.wrong_on_purpose import (
    change_parts,
    empty,
    fill,
    fill_with_nan,
    is_number,
)

HOOK: Final = (
    '\n\n__import__("sys").modules["grader.audit.confined.recorded_calls"].install(globals())\n'
)

AnswerCall: TypeAlias = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""Answers an outer call, given its name, function, arguments (including self) and keywords."""

_MAX_CALL_BYTES = 4 << 20  # largest recorded call, in bytes
_MAX_CALLS = 400
# Fewest arrays, or numbers in an array, whose common facts are more than coincidence.
_SAMPLE = 3
_answer: AnswerCall | None = None
_inside = 0


def answer_with(answer: AnswerCall) -> None:
    """Answer every outer call with this function from now on."""
    global _answer  # noqa: PLW0603  a process performs one task
    _answer = answer


def install(space: dict[str, Any]) -> None:
    """Wrap the functions and classes in a program's namespace."""
    for name, value in [*space.items()]:
        if isinstance(value, types.FunctionType) and value.__globals__ is space:
            space[name] = _wrap(name, value)
        elif isinstance(value, type) and value.__module__ == space.get("__name__"):
            for attribute, method in [*vars(value).items()]:
                is_public = not attribute.startswith("_") or attribute in {"__init__", "__call__"}
                if is_public and isinstance(method, types.FunctionType):
                    with contextlib.suppress(AttributeError, TypeError):
                        setattr(value, attribute, _wrap(f"{name}.{attribute}", method))


def _wrap(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        global _inside  # noqa: PLW0603  one thread
        if _inside or _answer is None:
            return function(*args, **kwargs)
        _inside += 1
        try:
            return _answer(name, function, args, kwargs)
        finally:
            _inside -= 1

    return wrapper


@dataclass(slots=True)
class Recorder:
    """A recorder of calls, each with a copy of its arguments from before the call."""

    scripts: list[tuple[str, str, list[tuple[str, bytes]]]] = field(default_factory=list)
    _of_objects: dict[int, tuple[Any, list[tuple[str, bytes]]]] = field(default_factory=dict)

    def __call__(
        self,
        name: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Record a call, then make it."""
        owner, _, method = name.rpartition(".")
        positional = args[1:] if owner else args
        # Values that cannot be pickled are not recorded.
        with contextlib.suppress(Exception):
            data = pickle.dumps((positional, kwargs), protocol=5)
            if len(data) <= _MAX_CALL_BYTES and len(self.scripts) < _MAX_CALLS:
                if not owner:
                    self.scripts.append((method, pytest_run.current_test, [("", data)]))
                elif method == "__init__":
                    steps = [(method, data)]
                    self._of_objects[id(args[0])] = args[0], steps
                    self.scripts.append((type(args[0]).__name__, pytest_run.current_test, steps))
                elif id(args[0]) in self._of_objects:
                    self._of_objects[id(args[0])][1].append((method, data))
        return function(*args, **kwargs)

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the recorded calls for `read_scripts`, digests by test, and common facts."""
        data = pickle.dumps(self.scripts, protocol=5)
        yield {"kind": "calls", "data": base64.b85encode(data).decode()}
        digests: dict[str, list[int]] = {}
        for name, test, steps in self.scripts:
            digests.setdefault(test, []).append(hash((name, tuple(steps))))
        yield {"kind": "digests", "tests": digests}
        # Unpickling the solution's own classes can raise anything.
        with contextlib.suppress(Exception):
            yield {"kind": "alike", "facts": find_common_facts(read_scripts(data))}


def read_scripts(data: bytes) -> list[Script]:
    """Unpickle recorded calls, without duplicates; call this only in a confined process."""
    scripts: dict[object, Script] = {}
    for name, _, steps in pickle.loads(data):  # noqa: S301  in a confined process
        key = name, tuple(steps)
        if key in scripts:
            continue
        # Unpickling the solution's own classes can raise anything.
        with contextlib.suppress(Exception):
            calls = ((method, *pickle.loads(call)) for method, call in steps)  # noqa: S301  as above
            scripts[key] = name, tuple(calls)
    return [*scripts.values()]


def find_common_facts(scripts: list[Script]) -> list[str]:
    """Return facts that hold for every array and list of numbers in the tests' arguments."""
    values = [
        value
        for _, steps in scripts
        for _, args, kwargs in steps
        for value in (*args, *kwargs.values())
        if isinstance(value, np.ndarray | list | tuple)
    ]
    all_arrays = (array for value in values for array in _numbers(value))
    distinct = {(array.shape, array.dtype, array.tobytes()): array for array in all_arrays}
    arrays = [*distinct.values()]
    if len(arrays) < _SAMPLE:
        return []
    rows = [array for array in arrays if array.ndim == 1 and array.size > _SAMPLE]
    tables = [array for array in arrays if array.ndim == 2]  # noqa: PLR2004  axes
    shapes = {array.shape for array in arrays}
    # The author did not choose the dtype of a list.
    dtypes = {
        array.dtype.name
        for value in values
        if isinstance(value, np.ndarray)
        for array in _numbers(value)
    }
    facts = {
        "are square": bool(tables) and all(len({*table.shape}) == 1 for table in tables),
        "have no negative number": all(bool((array >= 0).all()) for array in arrays),
        f"have the shape {arrays[0].shape}": len(shapes) == 1,
        f"have the dtype {min(dtypes, default='')}": len(dtypes) == 1,
        "are sorted": len(rows) >= _SAMPLE and all(bool((np.diff(row) >= 0).all()) for row in rows),
        "have no two equal numbers": all(np.unique(array).size == array.size for array in arrays),
    }
    return [fact for fact, holds in facts.items() if holds]


def _numbers(value: Any) -> Iterator[Any]:
    # ValueError: the rows have different lengths.
    with contextlib.suppress(ValueError):
        array = np.asarray(value)
        if array.size > 1 and array.dtype.kind in "iuf":
            yield array


def _is_real(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    return isinstance(value, float | np.floating)


def _as_float32(value: Any) -> Any:
    if not _is_real(value) or np.iscomplexobj(value):
        return value
    with np.errstate(all="ignore"):
        rounded = np.asarray(value).astype(np.float32).astype(np.asarray(value).dtype)
    return rounded if isinstance(value, np.ndarray) else type(value)(rounded)


def _if_numeric(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that changes numbers and arrays of numbers, and no other values."""

    def change_number(value: Any) -> Any:
        is_array = isinstance(value, np.ndarray) and value.dtype.kind in "biufc"
        return change(value) if is_array or is_number(value) else value

    return change_number


WRONG: Final[Mapping[str, Callable[[Any], Any]]] = {
    "sevens": _if_numeric(lambda value: fill(value, 7)),
    "NaN": _if_numeric(fill_with_nan),
    "empty": lambda value: (
        empty(value) if isinstance(value, np.ndarray) or is_number(value) else value
    ),
    "1 % off": lambda value: value * 1.01 if _is_real(value) else value,
    "float32": _as_float32,
}
"""Functions that turn the parts of a right result into wrong ones."""


@dataclass(slots=True)
class WrongResults:
    """A source of wrong results for all calls, with the tests that received one."""

    kind: str
    tests: set[str] = field(default_factory=set)

    def __call__(
        self,
        name: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Make a call and change its result."""
        right = function(*args, **kwargs)
        if name.endswith(".__init__"):
            return right
        wrong = change_parts(right, WRONG[self.kind])
        if comparable_form(wrong) != comparable_form(right):
            self.tests.add(pytest_run.current_test)
        return wrong

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the ids of the tests in which a result was changed."""
        yield {"kind": "changed", "ids": sorted(self.tests)}


def comparable_form(value: object) -> object:
    """Return a value that is equal for equal results."""
    with contextlib.suppress(Exception):
        return pickle.dumps(value)
    return repr(value)
