"""Behaviour of a program on recorded calls, and the comparison of two behaviours."""

import contextlib
import copy
import inspect
import itertools
import random
import sys
import types
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.audit.confined.perturb import Options, Steps
from grader.audit.confined.pytest_run import module_name
from grader.definitions.exercise import Tolerance
from grader.grading.comparison.compare import EXACT, compare
from grader.grading.diagnosis.input_values import parts
from grader.grading.program.author_code import time_limit

ITSELF = "<the object itself>"
"""Stands for the result of a method that returns its own object."""

RTOL, ATOL = 1e-6, 1e-9
"""The tolerance of ready tests."""

# Twenty times the tolerance of ready tests, so that rounding does not count.
_DOUBLE = Tolerance(20 * ATOL, 20 * RTOL)
_SINGLE = Tolerance(20 * ATOL, 1e-4)

_CALL_SECONDS = 1.0
_MAX_ITEMS = 1000  # longest prefix of a returned iterator that is compared


class CallTooLongError(BaseException):
    """A call takes too long; a BaseException, which `except Exception` in a program misses."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The outcome of one step of a script."""

    value: Any  # the result, or None if an error was raised
    error: str = ""  # the name of the error's type, or ""
    changed: bool = False  # True if the step changed its arguments


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The outcomes of a script's steps, and its object's public attributes after the last step."""

    steps: tuple[StepOutcome, ...]
    attributes: dict[str, Any]

    @property
    def raises(self) -> bool:
        """True if a step raised an error."""
        return any(step.error for step in self.steps)

    @property
    def finite(self) -> bool:
        """True if every number in every result is finite."""
        return all(is_finite(step.value) for step in self.steps)


def load(source: str, file: str) -> types.ModuleType:
    """Run a program as a separate module; its imports from the assignment are shared."""
    name = module_name(file)
    module = types.ModuleType(name)
    module.__file__ = file
    before = sys.modules.get(name)
    sys.modules[name] = module  # Dataclasses and pickle look the module up there.
    try:
        with warnings.catch_warnings(), time_limit(10 * _CALL_SECONDS, CallTooLongError):
            warnings.simplefilter("ignore")
            exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  confined
    finally:
        if before is not None:
            sys.modules[name] = before
    return module


def observe(module: types.ModuleType, name: str, steps: Steps) -> Behaviour:
    """Make the calls of a script, with copies of its arguments.

    Raises:
        CallTooLongError: A call takes too long.
    """
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  a program may use it
    target: Any = getattr(module, name, None)
    instance: Any = None
    outcomes: list[StepOutcome] = []
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        time_limit(_CALL_SECONDS, CallTooLongError),
    ):
        warnings.simplefilter("ignore")
        for method, args, kwargs in steps:
            own_args, own_kwargs = copy.deepcopy((args, kwargs))
            _convert_objects([own_args, own_kwargs], module, set())
            try:
                if method in {"", "__init__"}:
                    result = target(*own_args, **own_kwargs)
                else:
                    result = getattr(instance, method)(*own_args, **own_kwargs)
            except CallTooLongError:
                raise
            except BaseException as error:  # noqa: BLE001  a program may raise anything
                outcomes.append(StepOutcome(None, type(error).__name__))
                break
            if method == "__init__":
                instance, result = result, None
            elif instance is not None and result is instance:
                result = ITSELF  # The object's attributes are compared after the last step instead.
            elif isinstance(result, types.GeneratorType):
                result = [*itertools.islice(result, _MAX_ITEMS)]
            has_changed_arguments = values_differ(
                [*args, *kwargs.values()], [*own_args, *own_kwargs.values()]
            )
            with contextlib.suppress(Exception):
                result = copy.deepcopy(result)  # A later step may change the result in place.
            outcomes.append(StepOutcome(result, changed=has_changed_arguments))
    attributes = {}
    if instance is not None:
        with contextlib.suppress(Exception):
            attributes = {key: value for key, value in vars(instance).items() if key[0] != "_"}
    return Behaviour(tuple(outcomes), attributes)


def _convert_objects(value: Any, module: types.ModuleType, visited: set[int]) -> None:
    """Convert objects of another program's classes to this program's classes of the same names."""
    if id(value) in visited:
        return
    visited.add(id(value))
    kind = type(value)
    if kind.__module__ == module.__name__:
        with contextlib.suppress(TypeError, AttributeError):
            value.__class__ = getattr(module, kind.__name__)
        value = getattr(value, "__dict__", {})
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list | tuple | set):
        for item in value:
            _convert_objects(item, module, visited)


@dataclass(frozen=True, slots=True)
class BehaviourDifference:
    """The first difference between a right and a wrong program."""

    step: int  # the index of the step
    kind: str  # "result", "error", "changes" or "attribute"
    name: str = ""  # the name of the attribute


def find_difference(
    right: Behaviour, wrong: Behaviour, read: Collection[str] = ()
) -> BehaviourDifference | None:
    """Return the first difference between two behaviours, attributes in `read` first, or None."""
    for number, (expected, got) in enumerate(zip(right.steps, wrong.steps, strict=False)):
        if expected.error != got.error:
            return BehaviourDifference(number, "error")
        if values_differ(expected.value, got.value):
            return BehaviourDifference(number, "result")
        if got.changed and not expected.changed:
            return BehaviourDifference(number, "changes")
    if len(right.steps) != len(wrong.steps):
        return BehaviourDifference(min(len(right.steps), len(wrong.steps)) - 1, "error")
    for name, value in sorted(right.attributes.items(), key=lambda item: item[0] not in read):
        if name not in wrong.attributes or values_differ(value, wrong.attributes[name]):
            return BehaviourDifference(len(right.steps) - 1, "attribute", name)
    return None


def read_options(module: types.ModuleType, name: str, texts: tuple[str, ...]) -> Options:
    """Return the signatures and option strings of a function or of a class's methods."""
    target = getattr(module, name, None)
    signatures = {}
    with contextlib.suppress(TypeError, ValueError):
        entry = "__init__" if isinstance(target, type) else ""
        signatures[entry] = inspect.signature(target)  # type: ignore[arg-type]  # it raises for others
    if isinstance(target, type):
        for attribute, method in vars(target).items():
            if isinstance(method, types.FunctionType) and attribute != "__init__":
                with contextlib.suppress(TypeError, ValueError):
                    signature = inspect.signature(method)
                    without_self = [*signature.parameters.values()][1:]
                    signatures[attribute] = signature.replace(parameters=without_self)
    return Options(signatures, texts)


def values_differ(one: Any, other: Any) -> bool:  # noqa: PLR0911  any results, a case for each type
    """Return whether two results differ by clearly more than rounding.

    As in the ready tests, arrays need equal dtypes, numbers do not, and objects have no equality
    of their own: their attributes are compared.
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype != other.dtype or numbers_differ(one, other)
    if _is_number(one) and _is_number(other):
        is_one_bool = [np.asarray(value).dtype.kind for value in (one, other)].count("b") == 1
        return is_one_bool or numbers_differ(one, other)
    if type(one).__name__ != type(other).__name__:
        return True
    if isinstance(one, Mapping):
        return one.keys() != other.keys() or any(
            values_differ(item, other[key]) for key, item in one.items()
        )
    if isinstance(one, Sequence) and not isinstance(one, str | bytes):
        return len(one) != len(other) or any(map(values_differ, one, other))
    if one is None or isinstance(one, str | bytes | set | frozenset):
        return bool(one != other)
    return hasattr(one, "__dict__") and values_differ(vars(one), vars(other))


def _is_number(value: Any) -> bool:
    """Return whether a value is a number, or an array without axes."""
    return isinstance(value, int | float | complex | np.generic) or (
        isinstance(value, np.ndarray) and not value.ndim
    )


def numbers_differ(one: Any, other: Any, tolerance: Tolerance | None = None) -> bool:
    """Return whether two arrays or numbers differ beyond a tolerance, apart from their dtypes.

    Args:
        tolerance: By default clearly more than that of the ready tests.
    """
    first, second = np.asarray(one), np.asarray(other)
    if not {first.dtype.kind, second.dtype.kind} <= {*"biufc"}:
        return repr(one) != repr(other)
    is_single = min(first.dtype.itemsize, second.dtype.itemsize) <= np.dtype("f4").itemsize
    common = np.result_type(first, second)
    if common.kind in "biu":
        tolerance = EXACT
    elif tolerance is None:
        tolerance = _SINGLE if is_single else _DOUBLE
    first, second = first.astype(common, copy=False), second.astype(common, copy=False)
    return compare(first, second, tolerance) is not None


def is_finite(value: Any) -> bool:
    """Return whether a result contains no NaN and no infinity."""
    return all(
        bool(np.all(np.isfinite(part)))
        for _, part in parts(value)
        if np.asarray(part).dtype.kind in "fc"
    )
