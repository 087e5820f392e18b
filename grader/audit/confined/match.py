"""Matching of an assignment's functions with exercise functions that give the same results."""

import contextlib
import inspect
import pickle
import types
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.audit.confined.behaviour import CallTooLongError, numbers_differ, observe
from grader.audit.confined.perturb import Script, Step
from grader.definitions.exercise import Tolerance

_MIN_RESULTS = 4  # distinct results that must agree for a match
_LEAST_SHARE = 0.9  # least share of agreeing results among the calls that both functions accept
_MAX_CALLS = 60  # most calls to compare
_MAX_REFUSED = 20  # calls that may be refused before the first accepted one
# Loose, since constants such as epsilon may differ between the two.
_TOLERANCE = Tolerance(atol=1e-6, rtol=1e-3)


@dataclass(frozen=True, slots=True)
class Correspondence:
    """The mapping between a function of an exercise and a function of an assignment."""

    # Largest number of positional arguments of the exercise's function.
    max_arguments: int
    # Index of the item in the assignment's result tuple that equals the exercise's result; None for
    # the whole result.
    own_index: int | None = None
    # The same for the exercise's result tuple, if that one is larger.
    exercise_index: int | None = None


def find_positional_arguments(
    module: types.ModuleType, name: str, step: Step, max_arguments: int
) -> tuple[Any, ...] | None:
    """Return a call's arguments in parameter order, without trailing defaults.

    Returns None if more than `max_arguments` remain.
    """
    _, args, kwargs = step
    try:
        signature = inspect.signature(getattr(module, name))
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    values = [*bound.arguments.values()]
    defaults = [parameter.default for parameter in signature.parameters.values()]
    while len(values) > max_arguments:
        if values[-1] is not defaults[len(values) - 1]:
            return None
        values.pop()
    return tuple(values)


def count_arguments(function: Any) -> tuple[int, int] | None:
    """Return the least and the largest number of positional arguments, or None."""
    with contextlib.suppress(TypeError, ValueError):
        parameters = [*inspect.signature(function).parameters.values()]
        if all(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters):
            required = sum(parameter.default is parameter.empty for parameter in parameters)
            return required, len(parameters)
    return None


def find_correspondence(
    right: types.ModuleType,
    exercise: types.ModuleType,
    name: str,
    known_name: str,
    candidates: Sequence[Script],
) -> Correspondence | None:
    """Return the correspondence of two functions, or None if their results differ."""
    argument_counts = count_arguments(getattr(exercise, known_name, None))
    if argument_counts is None:
        return None
    agreements: Counter[tuple[int | None, int | None]] = Counter()
    compared_calls = 0
    results: set[bytes] = set()
    own_calls = [steps[0] for called, steps in candidates if called == name]
    for own_result, exercise_result in _results(
        (right, name), (exercise, known_name), own_calls, argument_counts
    ):
        compared_calls += 1
        index_pairs: list[tuple[int | None, int | None]] = [(None, None)]
        if isinstance(own_result, tuple) and not isinstance(exercise_result, tuple):
            index_pairs = [(index, None) for index in range(len(own_result))]
        elif isinstance(exercise_result, tuple) and not isinstance(own_result, tuple):
            index_pairs = [(None, index) for index in range(len(exercise_result))]
        for own_index, exercise_index in index_pairs:
            own_item = own_result if own_index is None else own_result[own_index]
            known_item = (
                exercise_result if exercise_index is None else exercise_result[exercise_index]
            )
            if _is_close(own_item, known_item):
                agreements[own_index, exercise_index] += 1
                results.add(pickle.dumps(exercise_result))
        if compared_calls >= _MIN_RESULTS and not agreements:
            return None
    if len(results) < _MIN_RESULTS:
        return None
    ((indices, count),) = agreements.most_common(1)
    if count < _LEAST_SHARE * compared_calls:
        return None
    return Correspondence(argument_counts[1], *indices)


def _results(
    right: tuple[types.ModuleType, str],
    exercise: tuple[types.ModuleType, str],
    calls: Sequence[Step],
    argument_counts: tuple[int, int],
) -> Iterator[tuple[Any, Any]]:
    """Yield the results of both functions for each call that both accept."""
    accepted_calls = refused_calls = 0
    for step in calls:
        args = find_positional_arguments(*right, step, argument_counts[1])
        if args is None or len(args) < argument_counts[0]:
            continue
        try:
            own_observation = observe(*right, (step,))
            exercise_observation = observe(*exercise, (("", args, {}),))
        except CallTooLongError:
            return
        if own_observation.raises or exercise_observation.raises:
            refused_calls += 1
        else:
            accepted_calls += 1
            yield own_observation.steps[0].value, exercise_observation.steps[0].value
        # A function for fewer axes may still agree on calls with few axes.
        if accepted_calls >= _MAX_CALLS or (refused_calls > _MAX_REFUSED and not accepted_calls):
            return


def _is_close(one: Any, other: Any) -> bool:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_is_close, one, other))
    try:
        return not numbers_differ(one, other, _TOLERANCE)
    except Exception:  # noqa: BLE001  the solution's own objects may raise anything
        return False
