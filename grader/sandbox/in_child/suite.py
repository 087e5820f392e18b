"""The run of tests that a learner wrote, with a small replacement for pytest."""

import functools
import inspect
import itertools
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

MODULES = PYTEST, PROGRAM = "pytest", "program"
_MAX_TESTS = 200  # tests of a suite that run
_ROWS = "_rows_of_parametrize"


class _Approx:
    """A replacement for `pytest.approx`: equals numbers, arrays and containers close to it."""

    __array_ufunc__ = None  # makes NumPy leave the comparison to this class
    __hash__ = None  # type: ignore[assignment]  # as Python sets it beside `__eq__`

    def __init__(
        self,
        expected: Any,
        rel: Any = None,
        abs: Any = None,  # noqa: A002  pytest's name
        nan_ok: bool = False,
    ) -> None:
        self._expected, self._options = expected, (rel, abs, nan_ok)

    def __repr__(self) -> str:
        return f"approx({self._expected!r})"

    def __eq__(self, actual: object) -> bool:
        expected: Any = self._expected
        rel, least, nan_ok = self._options
        if isinstance(expected, dict):
            if not isinstance(actual, dict) or actual.keys() != expected.keys():
                return False
            return all(_Approx(v, *self._options) == actual[k] for k, v in expected.items())
        right: Any = np.asarray(expected)
        got: Any = np.asarray(actual)
        if right.dtype.kind not in "iufc" or got.dtype.kind not in "biufc":
            return bool(np.all(actual == expected))
        if right.shape and got.shape and right.shape != got.shape:
            return False
        if rel is None:
            rel = 1e-6 if least is None else 0.0
        with np.errstate(all="ignore"):
            margin = np.maximum(rel * np.abs(right), 1e-12 if least is None else least)
            close = (got == right) | (np.isfinite(right) & (np.abs(got - right) <= margin))
            return bool(np.all(close | (nan_ok & np.isnan(got) & np.isnan(right))))


class _Raises:
    """A replacement for `pytest.raises`."""

    value: BaseException

    def __init__(self, expected: Any, match: str | None = None) -> None:
        self._expected, self._match = expected, match

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: object
    ) -> bool:
        if error is None:
            raise AssertionError(f"{self._expected} was not raised")
        if not isinstance(error, self._expected):
            return False
        self.value = error
        if self._match is not None and not re.search(self._match, str(error)):
            raise AssertionError(f"the message {str(error)!r} does not match {self._match!r}")
        return True


def _parametrize(names: Any, rows: Any, **_: object) -> Callable[[Any], Any]:
    words = re.findall(r"\w+", names) if isinstance(names, str) else list(names)
    cases = [dict(zip(words, row if len(words) > 1 else [row], strict=True)) for row in rows]

    def mark(function: Any) -> Any:
        setattr(function, _ROWS, [cases, *getattr(function, _ROWS, [])])
        return function

    return mark


def _missing(name: str) -> Any:
    message = f"there is no pytest.{name} here; there are approx, raises and mark.parametrize"
    raise AttributeError(message)


def install(functions: dict[str, Any]) -> None:
    """Make a small `pytest` importable, and the functions as the module `program`."""
    mark = types.SimpleNamespace(parametrize=_parametrize)
    pytest_names = {"approx": _Approx, "raises": _Raises, "mark": mark, "__getattr__": _missing}
    for name, contents in zip(MODULES, (pytest_names, functions), strict=True):
        module = sys.modules[name] = types.ModuleType(name)
        module.__dict__.update(contents)


def _cases(namespace: dict[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name and the function of each test of a module, in order of definition."""
    for name, function in list(namespace.items()):
        if name.startswith("test") and inspect.isfunction(function):
            rows = getattr(function, _ROWS, [])
            for number, parts in enumerate(itertools.product(*rows)):
                arguments = {key: value for part in parts for key, value in part.items()}
                label = f"{name}[{number}]" if rows else name
                yield label, functools.partial(function, **arguments)


def failures(
    namespace: dict[str, Any],
    begin: Callable[[str], object],
    describe_error: Callable[[BaseException], dict[str, Any]],
    max_failures: int,
) -> list[object]:
    """Run the tests of a module.

    Args:
        begin: Called with each test's name before it runs.
        describe_error: Returns a description of an error as plain data.
        max_failures: The number of failures after which to stop.

    Returns:
        The number of tests that ran, and each failure's test name, error type, message and line.
    """
    count, failed = 0, list[object]()
    for label, test in itertools.islice(_cases(namespace), _MAX_TESTS):
        count += 1
        begin(label)
        try:
            test()
        except MemoryError:
            raise
        except BaseException as error:  # noqa: BLE001  includes SystemExit and KeyboardInterrupt
            description = describe_error(error)
            line = description["frames"][-1][0] if description["frames"] else 0
            failed.append([label, description["type"], description["message"], line])
            if len(failed) == max_failures:
                break
    return [count, failed]
