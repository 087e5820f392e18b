"""The inputs of a test: literals, or draws by the author's Python with growing sizes."""

import ast
import functools
import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from grader.definitions.exercise import Exercise, Literals, TestCase
from grader.grading.program.author_code import register_source, run_author_code
from grader.grading.program.value_copies import freeze_arrays

# The value of `size` in the first draw, in the last draw, and in the only draw of a test.
_MIN_SIZE, _MAX_SIZE, _ONLY_SIZE = 2, 10, 5

_MAX_SIZES = 32  # numbers that one call of `sizes` may ask for
# In every third draw, beginning with draw 2, one axis has length 1. That is rare enough to keep
# most draws informative, and ten draws still reach three different axes.
_SHORT_AXIS_PERIOD = 3

_OWN_STREAM = 1 << 20  # stream number that differs from those of the test's own draws


def draw_inputs(exercise: Exercise, test: TestCase, number: int) -> Mapping[str, Any]:
    """Return the inputs of one draw, with read-only arrays.

    Raises:
        DefinitionError: The author's Python raises.
    """
    if isinstance(test.given, Literals):
        return {name: freeze_arrays(value) for name, value in test.given.values.items()}
    rng, size = generator(exercise, test, number), draw_size(number, test.seeds)
    return _run_given(test, test.given.code, rng, size, _sizes(rng, size, number))


def draw_of_sizes(
    exercise: Exercise, test: TestCase, number: int, lengths: Sequence[int], size: int
) -> Mapping[str, Any]:
    """Return inputs of chosen sizes, drawn from a random stream of their own, or the literals.

    Args:
        lengths: The results of `sizes()` in order, where 1 stands for the author's minimum. When
            they are used up, `sizes()` returns other small numbers.

    Raises:
        DefinitionError: The author's Python raises, possibly because of unexpected sizes.
    """
    if isinstance(test.given, Literals):
        return draw_inputs(exercise, test, 0)
    rng = generator(exercise, test, number, _OWN_STREAM)
    unused, draw_sizes = list(lengths), _sizes(rng, size, 0)

    def sizes(count: int, least: int = 1) -> tuple[int, ...]:
        taken = tuple(length + least - 1 for length in unused[:count])
        del unused[:count]
        return taken + (draw_sizes(count - len(taken), least) if count > len(taken) else ())

    return _run_given(test, test.given.code, rng, size, sizes)


def _run_given(
    test: TestCase,
    code: str,
    rng: np.random.Generator,
    size: int,
    sizes: Callable[..., tuple[int, ...]],
) -> Mapping[str, Any]:
    """Run the code of a `given` and return the names that it sets."""
    ready = {"np": np, "rng": rng, "size": size, "sizes": sizes}
    namespace: dict[str, Any] = dict(ready)
    own_sizes = _own_sizes(code)

    def draw() -> Mapping[str, Any]:
        exec(_compile(code), namespace)  # noqa: S102  the author's own code
        return {
            name: freeze_arrays(value)
            for name, value in namespace.items()
            if (name not in ready or name in own_sizes)
            and not name.startswith("_")
            and not isinstance(value, ModuleType)
        }

    return run_author_code(test.where, f"test {test.id!r}: given", draw)


def generator(exercise: Exercise, test: TestCase, *numbers: int) -> np.random.Generator:
    """Return a test's own random stream, so that adding a test does not change the others."""
    name = f"{exercise.id}/{test.id}{exercise.draw_salt if test.hidden else ''}"
    stream = zlib.crc32(name.encode())
    return np.random.default_rng([stream, *numbers])


def draw_size(number: int, draws: int) -> int:
    """Return the size of a draw. Sizes grow, so that the first failure is a small one."""
    if draws == 1:
        return _ONLY_SIZE
    return _MIN_SIZE + round((_MAX_SIZE - _MIN_SIZE) * number / (draws - 1))


def _sizes(rng: np.random.Generator, size: int, number: int) -> Callable[..., tuple[int, ...]]:
    def sizes(count: int, least: int = 1) -> tuple[int, ...]:
        """Return distinct small numbers, since axes of equal length would hide a swap.

        In every third draw one of them is 1, at another position each time, unless `least` is
        larger. The 1 is not drawn from `rng`, so that all other inputs stay the same.
        """
        if not 0 < count <= _MAX_SIZES:
            raise ValueError(f"sizes() gives 1 to {_MAX_SIZES} numbers, not {count}")
        smallest = max(_MIN_SIZE, least)
        largest = max(size, smallest + count - 1)
        chosen = rng.permutation(np.arange(smallest, largest + 1))[:count]
        turn, rest = divmod(number, _SHORT_AXIS_PERIOD)
        if least <= 1 and rest == _SHORT_AXIS_PERIOD - 1:
            chosen[turn % count] = 1
        return tuple(int(length) for length in chosen)

    return sizes


@functools.lru_cache(256)
def _compile(code: str) -> CodeType:
    name = f"given {hashlib.sha256(code.encode()).hexdigest()}"
    return compile(code, register_source(code, name), "exec")


@functools.lru_cache(256)
def _own_sizes(code: str) -> frozenset[str]:
    """Return the names among `size` and `sizes` that the author's code sets as inputs."""
    nodes = ast.walk(ast.parse(code)) if "size" in code else ()
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset({"size", "sizes"} & stored)
