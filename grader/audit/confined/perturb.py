"""Variations of recorded arguments: other numbers, sizes and options, and simpler ones."""

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from grader.grading.diagnosis.input_values import parts, with_part_at
from grader.grading.diagnosis.simpler_inputs import simpler_values

Step: TypeAlias = tuple[str, tuple[Any, ...], dict[str, Any]]
"""One call: the method's name, or "" for a function, and its arguments."""

Steps: TypeAlias = tuple[Step, ...]
Script: TypeAlias = tuple[str, Steps]
"""Calls that belong together: the name of a function and one call, or the name of a class and all
calls on one object."""

Array: TypeAlias = np.ndarray[Any, Any]

_HALF = 0.5  # probability that an entry of a mask is True
_MAX_TEXT_LENGTH = 40  # longest text to vary, in characters
_MAX_SIZE = 4096  # most elements of an enlarged array


@dataclass(frozen=True, slots=True)
class Options:
    """Facts about parameters that can be read from the program's text."""

    # Signatures by method name, with "" for a function.
    signatures: dict[str, inspect.Signature]
    # String literals in the source, which include the names of modes and options.
    texts: tuple[str, ...] = ()


def map_arguments(steps: Steps, change: Callable[[Any], Any], *, floats: bool = False) -> Steps:
    """Change each argument of each step; a nested list of numbers is changed as an array.

    Args:
        floats: True to treat integers in lists as floats.
    """

    def deep(value: Any) -> Any:
        if type(value) is list and (numbers := _numbers(value)) is not None:
            changed = change(numbers.astype(float) if floats else numbers)
            if changed is numbers:
                return value
            return changed.tolist() if isinstance(changed, np.ndarray) else changed
        if type(value) in {list, tuple}:
            return type(value)(deep(item) for item in value)
        if type(value) is dict:
            return {key: deep(item) for key, item in value.items()}
        return change(value)

    return tuple(
        (name, tuple(map(deep, args)), {key: deep(value) for key, value in kwargs.items()})
        for name, args, kwargs in steps
    )


def _numbers(value: list[Any]) -> Array | None:
    """Return a list of numbers as an array, or None if it is not one."""
    item: Any = value
    while type(item) is list and item:
        item = item[0]
    if type(item) not in {int, float}:
        return None
    try:
        array = np.array(value)
    except ValueError:
        return None  # rows of different lengths
    return array if array.dtype.kind in "if" else None


def arrays(steps: Steps) -> list[Array]:
    """Return every array in the arguments."""
    all_arrays: list[Array] = []

    def note(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            all_arrays.append(value)
        return value

    map_arguments(steps, note)
    return all_arrays


# Ways to draw new values for an array of floats.
_VALUES: tuple[Callable[[np.random.Generator, Array], Array], ...] = (
    lambda rng, a: np.round(rng.normal(size=a.shape), 2),
    lambda rng, a: np.round(3 * rng.normal(size=a.shape), 1),
    lambda rng, a: rng.integers(-3, 4, a.shape).astype(float),
    lambda rng, a: rng.integers(1, 6, a.shape).astype(float),
    lambda rng, a: np.round(rng.uniform(size=a.shape), 2),
    lambda _, a: np.zeros(a.shape),
    lambda _, a: np.ones(a.shape),
    lambda _, a: a * 1000,
    lambda _, a: a * 1e-4,
    lambda _, a: a + 1000,
    lambda _, a: -a,
    lambda rng, a: a + np.round(rng.normal(size=a.shape), 2),
    lambda rng, a: rng.permutation(a.ravel()).reshape(a.shape),
    lambda _, a: np.where(np.arange(a.size).reshape(a.shape) % 2 == 0, a, 0),
    lambda _, a: a / (np.sum(np.abs(a), axis=-1, keepdims=True) + 1e-300) if a.ndim else a,
)


def with_other_numbers(  # noqa: C901  any argument, a case for each type
    rng: np.random.Generator, steps: Steps, kind: int, modes: Collection[str] = ()
) -> Steps:
    """Draw new values for all arrays and numbers, and shuffled letters for texts.

    Args:
        kind: Index of the way to draw, taken modulo the number of ways.
        modes: Texts that are not changed.
    """
    draw = _VALUES[kind % len(_VALUES)]
    only = None if rng.integers(3) else int(rng.integers(8))
    count = -1

    def change(value: Any) -> Any:  # noqa: PLR0911  any argument, a case for each type
        nonlocal count
        count += 1
        if only is not None and count != only:
            return value
        match value:
            case np.ndarray() if value.dtype.kind == "f":
                with np.errstate(all="ignore"):
                    return np.asarray(draw(rng, value), value.dtype)
            case np.ndarray() if value.dtype.kind in "iu" and value.size:
                low, high = int(value.min()), int(value.max())
                return rng.integers(low, high + 1, value.shape).astype(value.dtype)
            case np.ndarray() if value.dtype.kind == "b":
                return rng.uniform(size=value.shape) < (0.2, 0.5, 0.8)[kind % 3]
            case bool():
                return bool(rng.integers(2))
            case int():
                return value + (0, 0, 1, -1)[kind % 4]
            case float():
                return (value, value * 2, value / 2, 0.0, 1.0, round(rng.uniform(), 2))[kind % 6]
            case str() if 0 < len(value) <= _MAX_TEXT_LENGTH and value not in modes:
                drawn = rng.choice(list(value), len(value))
                return "".join(np.repeat(drawn, rng.integers(1, 5, len(value))))
            case np.random.Generator():
                return np.random.default_rng(0)
        return value

    return map_arguments(steps, change, floats=bool(rng.integers(2)))


def with_other_length(steps: Steps, old: int, new: int, rng: np.random.Generator | None) -> Steps:
    """Replace one length by another in every axis that has it.

    Args:
        rng: Adds noise to repeated numbers; None repeats them exactly.
    """

    def change(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or old not in value.shape:
            return value
        return _of_shape(value, tuple(new if n == old else n for n in value.shape), rng)

    return map_arguments(steps, change)


def _of_shape(value: Array, shape: tuple[int, ...], rng: np.random.Generator | None) -> Array:
    """Return an array of another shape, cut or filled by repetition."""
    if np.prod(shape) > _MAX_SIZE:
        return value
    if all(new <= old for new, old in zip(shape, value.shape, strict=True)):
        return value[tuple(slice(n) for n in shape)].copy()
    larger: Array = np.resize(value, shape)
    if rng is not None and value.dtype.kind == "f":
        larger = larger + np.round(rng.normal(size=shape), 2).astype(value.dtype)
    return larger


def with_other_sizes(rng: np.random.Generator, steps: Steps) -> Steps:
    """Change the length of some axes, consistently in all arrays or only in some of them."""
    lengths = sorted({n for array in arrays(steps) for n in array.shape if n})
    if not lengths or not rng.integers(2):
        for old in lengths:
            if rng.integers(2):
                steps = with_other_length(steps, old, int(rng.integers(1, old + 3)), rng)
        return steps
    # Change only some of the axes with this length: they may be equal by coincidence.
    old = int(rng.choice(lengths))
    new = old + int(rng.integers(1, 3))

    def change(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        shape = tuple(new if n == old and rng.integers(2) else n for n in value.shape)
        return value if shape == value.shape else _of_shape(value, shape, rng)

    return map_arguments(steps, change)


def with_batch_axis(steps: Steps) -> Steps:
    """Add a leading axis of length 2 to the arrays with the most axes."""
    max_axes = max((array.ndim for array in arrays(steps)), default=0)

    def change(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.ndim == max_axes and value.size < _MAX_SIZE:
            return np.stack([value, value[::-1] if value.ndim else value])
        return value

    return map_arguments(steps, change)


def with_other_options(steps: Steps, options: Options, results: list[Any]) -> Iterator[Steps]:
    """Yield the calls with another value for one optional parameter."""
    for number, (name, args, kwargs) in enumerate(steps):
        signature = options.signatures.get(name)
        if signature is None:
            continue
        positional = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
        ]
        # Shapes that broadcast with the existing arrays.
        inputs = arrays(((name, args, kwargs),))
        matrices = [array for array in inputs if array.ndim > 1]
        shapes = [array.shape for array in inputs]
        shapes += [(*a.shape[:-1], b.shape[-2]) for a in matrices for b in matrices]
        shapes += [(a.shape[-2], b.shape[-2]) for a in matrices for b in matrices]
        shapes += [np.shape(result) for result in results if isinstance(result, np.ndarray)]
        shapes += [shape[-1:] for shape in shapes if shape]
        shapes = [shape for shape in dict.fromkeys(shapes) if np.prod(shape) <= _MAX_SIZE]
        for place, parameter in enumerate(signature.parameters.values()):
            if parameter.default is parameter.empty:
                continue
            is_given = parameter in positional and place < len(args)
            current = args[place] if is_given else kwargs.get(parameter.name, parameter.default)
            for value in _candidates(parameter.name, current, options.texts, shapes):
                if is_given:
                    new = (name, (*args[:place], value, *args[place + 1 :]), kwargs)
                elif parameter.kind is parameter.POSITIONAL_ONLY:
                    continue
                else:
                    new = (name, args, {**kwargs, parameter.name: value})
                yield (*steps[:number], new, *steps[number + 1 :])


def _candidates(
    name: str,
    current: Any,
    texts: tuple[str, ...],
    shapes: list[tuple[int, ...]],
) -> Iterator[Any]:
    """Yield other values for an option with this value."""
    match current:
        case bool():
            yield not current
        case int():
            yield from (current + 1, current - 1, 0, 1, -2)
        case float():
            yield from (current * 2, current / 2, 0.5, 1.0, 0.0, current * 1000)
        case str():
            yield from (text for text in texts if text != current)
        case None:
            yield from _values_for_none(name, shapes)
        case np.ndarray():
            yield None


def _values_for_none(name: str, shapes: list[tuple[int, ...]]) -> Iterator[Any]:
    """Yield values for an option whose default is None: masks, arrays, numbers."""
    rng = np.random.default_rng(1)
    is_mask = "mask" in name
    for shape in shapes:
        if len(shape) > 1:
            yield np.tril(np.ones(shape, bool))
            yield np.triu(np.ones(shape, bool))
        is_masked = rng.uniform(size=shape) < _HALF
        yield is_masked
        yield is_masked.astype(float)
        if not is_mask:
            yield np.round(rng.normal(size=shape), 1)
    if not is_mask:
        yield from (1, 2, 0, -1, 0.5, True)


def simpler(steps: Steps, options: Options) -> Iterator[Steps]:
    """Yield simpler versions of the steps, the most simplified first."""
    yield from _with_less(steps, options)
    yield from _with_fewer_axes(steps)
    lengths = sorted({n for array in arrays(steps) for n in array.shape}, reverse=True)
    for old in lengths:
        for new in dict.fromkeys((1, 2, old // 2, old - 1)):
            if 0 < new < old:
                yield with_other_length(steps, old, new, None)
    yield map_arguments(steps, _as_counting_numbers)
    for path, part in parts(steps):
        for value in simpler_values(part, in_order=True):
            yield with_part_at(steps, path, value)


def _with_less(steps: Steps, options: Options) -> Iterator[Steps]:
    """Yield the steps with one step or one argument removed."""
    for number, (name, args, kwargs) in enumerate(steps):
        if name not in {"", "__init__"}:
            yield (*steps[:number], *steps[number + 1 :])
        for key in kwargs:
            rest = {word: value for word, value in kwargs.items() if word != key}
            yield (*steps[:number], (name, args, rest), *steps[number + 1 :])
        signature = options.signatures.get(name)
        if signature is None:
            continue
        required = sum(
            parameter.default is parameter.empty
            and parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
            for parameter in signature.parameters.values()
        )
        if len(args) > required:
            yield (*steps[:number], (name, args[:-1], kwargs), *steps[number + 1 :])


def _with_fewer_axes(steps: Steps) -> Iterator[Steps]:
    max_axes = max((array.ndim for array in arrays(steps)), default=0)
    for least in {max_axes, 3}:

        def change(value: Any, least: int = least) -> Any:
            is_large = isinstance(value, np.ndarray) and value.ndim >= least > 0 and len(value)
            return value[0] if is_large else value

        yield map_arguments(steps, change)


def _as_counting_numbers(value: Any) -> Any:
    """Replace floats by 1, 2, 3 ..."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return (np.arange(1, value.size + 1) % 10).reshape(value.shape).astype(value.dtype)
    return value


def size(steps: Steps) -> tuple[float, ...]:
    """Return a sort key that grows with the amount a reader has to read."""
    count = sum(array.size for array in arrays(steps))
    words = sum(len(args) + len(kwargs) for _, args, kwargs in steps)
    axes = sum(array.ndim for array in arrays(steps))
    digits = 0

    def note(value: Any) -> Any:
        nonlocal digits
        if isinstance(value, np.ndarray) and value.size <= _MAX_SIZE:
            digits += len(str(value.tolist()))
        elif not isinstance(value, np.ndarray):
            digits += len(repr(value)[:100])
        return value

    map_arguments(steps, note)
    return (len(steps), count, axes, words, digits)
