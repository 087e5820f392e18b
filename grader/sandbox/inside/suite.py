"""Tests that a learner wrote: found and run as pytest does, with a small part of pytest itself."""

import functools
import inspect
import itertools
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

PYTEST, PROGRAM = "pytest", "program"
_MOST_TESTS, _MOST_FAILURES = 200, 20
_ROWS = "_rows_of_parametrize"


class _Approx:
    """A number, an array or a container of them that equals whatever is close to it."""

    __array_ufunc__ = None  # an array leaves the comparison to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        expected: Any,
        rel: Any = None,
        abs: Any = None,  # noqa: A002  pytest's name
        nan_ok: bool = False,
    ) -> None:
        self._expected, self._nan_ok = expected, nan_ok
        self._rel = (1e-6 if abs is None else 0.0) if rel is None else rel
        self._abs = 1e-12 if abs is None else abs

    def __repr__(self) -> str:
        return f"approx({self._expected!r})"

    def __eq__(self, actual: object) -> bool:
        expected = self._expected
        if isinstance(expected, dict):
            alike = isinstance(actual, dict) and actual.keys() == expected.keys()
            return alike and all(self._with(expected[k]) == actual[k] for k in expected)  # type: ignore[index]
        wanted: Any = np.asarray(expected)
        got: Any = np.asarray(actual)
        if wanted.dtype.kind not in "iufc" or got.dtype.kind not in "biufc":
            return bool(np.all(actual == expected))
        if wanted.shape and got.shape and wanted.shape != got.shape:
            return False
        with np.errstate(all="ignore"):
            margin = np.maximum(self._rel * np.abs(wanted), self._abs)
            close = (got == wanted) | (np.isfinite(wanted) & (np.abs(got - wanted) <= margin))
            if self._nan_ok:
                close |= np.isnan(got) & np.isnan(wanted)
        return bool(np.all(close))

    def _with(self, expected: object) -> "_Approx":
        return _Approx(expected, self._rel, self._abs, self._nan_ok)


class _Raises:
    """A `with` block that must raise."""

    value: BaseException

    def __init__(self, expected: Any, match: str | None) -> None:
        self._expected, self._match = expected, match

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> bool:
        if error is None:
            raise AssertionError(f"{self._expected} was not raised")
        if not isinstance(error, self._expected):
            return False
        self.value, self.type = error, kind
        if self._match is not None and not re.search(self._match, str(error)):
            raise AssertionError(f"the message {str(error)!r} does not match {self._match!r}")
        return True


def _raises(expected: Any, *call: Any, match: str | None = None, **kwargs: Any) -> _Raises:
    context = _Raises(expected, match)
    if call:
        with context:
            call[0](*call[1:], **kwargs)
    return context


def _fail(reason: str = "") -> None:
    raise AssertionError(reason)


def _parametrize(names: Any, rows: Any, **_: object) -> Callable[[Any], Any]:
    words = re.findall(r"\w+", names) if isinstance(names, str) else list(names)
    cases = [dict(zip(words, row if len(words) > 1 else [row], strict=True)) for row in rows]

    def mark(function: Any) -> Any:
        setattr(function, _ROWS, [cases, *getattr(function, _ROWS, [])])
        return function

    return mark


def _missing(name: str) -> Any:
    message = f"there is no pytest.{name} here; there are approx, fail, mark.parametrize and raises"
    raise AttributeError(message)


def install(functions: dict[str, Any]) -> None:
    """Make `pytest`, and the functions as the module `program`, importable."""
    mark = types.SimpleNamespace(parametrize=_parametrize)
    ours = {"approx": _Approx, "raises": _raises, "fail": _fail, "mark": mark}
    for name, contents in ((PYTEST, {**ours, "__getattr__": _missing}), (PROGRAM, functions)):
        module = sys.modules[name] = types.ModuleType(name)
        module.__dict__.update(contents)


def remove() -> None:
    """Forget both modules."""
    for name in (PYTEST, PROGRAM):
        sys.modules.pop(name, None)


def _cases(namespace: dict[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the tests of a module, each with its name, in the order in which they are defined."""
    for name, function in list(namespace.items()):
        if not name.startswith("test") or not inspect.isfunction(function):
            continue
        rows = getattr(function, _ROWS, [])
        for number, parts in enumerate(itertools.product(*rows)):
            arguments = {key: value for part in parts for key, value in part.items()}
            label = f"{name}[{number}]" if rows else name
            yield label, functools.partial(function, **arguments)


def failures(
    namespace: dict[str, Any],
    begin: Callable[[str], object],
    facts_of: Callable[[BaseException], dict[str, Any]],
    *,
    is_first_enough: bool,
) -> list[object]:
    """Run the tests of a module.

    Args:
        begin: Called with each test's name before it runs.
        facts_of: Makes plain data of an error.
        is_first_enough: End with the first test that fails.

    Returns:
        How many tests ran; of each that failed the name, the error and the place.
    """
    count, failed = 0, list[object]()
    for label, test in itertools.islice(_cases(namespace), _MOST_TESTS):
        count += 1
        begin(label)
        try:
            test()
        except MemoryError:
            raise
        except BaseException as error:  # noqa: BLE001  SystemExit and KeyboardInterrupt too
            facts = facts_of(error)
            failed.append([label, facts["type"], facts["message"], facts["frames"][-1:]])
            if is_first_enough or len(failed) == _MOST_FAILURES:
                break
    return [count, failed]
