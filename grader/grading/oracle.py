"""The truth about an exercise's tests: their inputs and expected values, computed once and kept.

The only importer of `reference`. What an author wrote as Python runs here, in the trusted process;
what a learner wrote never does.
"""

import ast
import builtins
import contextlib
import importlib
import linecache
import signal
import sys
import threading
import traceback
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from grader.definitions.exercise import (
    CallTest,
    Exercise,
    FromReference,
    Literals,
    LiteralValue,
    OutputTest,
    TestCase,
)
from grader.errors import DefinitionError, Problem
from grader.sandbox.limits import AUTHOR_SECONDS

_REFERENCE_ROOT = "reference"


@dataclass(frozen=True, slots=True)
class Draw:
    """One set of inputs of a test, and what must come out. Arrays in it cannot be written to."""

    inputs: Mapping[str, Any]
    expected: Any  # for an output test the text


class Oracle:
    """Knows the draws of every test of one exercise."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self._draws: dict[str, tuple[Draw, ...]] = {}
        self._references: dict[str, Callable[..., Any]] | None = None

    def draws(self, test: TestCase) -> tuple[Draw, ...]:
        """Return a test's draws in order.

        Raises:
            DefinitionError: what the author wrote raises an error, or names no reference.
        """
        found = self._draws.get(test.id)
        if found is None:
            count = test.seeds if isinstance(test, CallTest) else 1
            found = tuple(self._draw(test, number) for number in range(count))
            self._draws[test.id] = found
        return found

    def _draw(self, test: TestCase, number: int) -> Draw:
        inputs = self._inputs(test, number)
        if isinstance(test, OutputTest):
            return Draw(inputs, test.stdout)
        self._check_names(test, inputs)
        if isinstance(test.expect, LiteralValue):
            return Draw(inputs, test.expect.value)
        assert isinstance(test.expect, FromReference)  # noqa: S101  for the type checker
        names = {**self._reference_functions(), **inputs}
        expected = self._author(test, "call", lambda: evaluate(test.call, names))
        return Draw(inputs, freeze(expected))

    def _inputs(self, test: TestCase, number: int) -> Mapping[str, Any]:
        if isinstance(test.given, Literals):
            return {name: freeze(value) for name, value in test.given.values.items()}
        # Each test has its own stream, so that adding one changes no other.
        stream = zlib.crc32(f"{self.exercise.id}/{test.id}".encode())
        namespace: dict[str, Any] = {"np": np, "rng": np.random.default_rng([stream, number])}
        code, name = test.given.code, f"<given of {self.exercise.digest} {test.id}>"
        # Under a name of its own, so that the source of a function in it can be found and sent.
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        self._author(test, "given", lambda: exec(compile(code, name, "exec"), namespace))  # noqa: S102  the author's own code
        return {
            name: freeze(value)
            for name, value in namespace.items()
            if name not in ("np", "rng")
            and not name.startswith("_")
            and not isinstance(value, ModuleType)
        }

    def _author(self, test: TestCase, field: str, action: Callable[[], Any]) -> Any:  # noqa: ANN401  any value
        """Do what the author wrote; its errors are errors of the definition."""
        try:
            # What it prints is for the author's eyes, never a part of the result on stdout.
            with np.errstate(all="ignore"), contextlib.redirect_stdout(sys.stderr), _time_limit():
                return action()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too
            line = _line_in_given(error)
            where = f" (line {line} of it)" if line else ""
            said = f": {error}" if str(error) else ""
            message = f"test {test.id!r}: {field} raises {type(error).__name__}{said}{where}"
            raise DefinitionError([Problem(test.where, message)]) from error

    def _check_names(self, test: CallTest, inputs: Mapping[str, Any]) -> None:
        """Refuse a call that uses a name which nothing sets: no submission could pass it."""
        tree = ast.parse(test.call, mode="eval")
        used = {
            n.id: isinstance(n.ctx, ast.Load) for n in ast.walk(tree) if isinstance(n, ast.Name)
        }
        bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not used[n.id]}
        bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        known = {*inputs, *self.exercise.defines, *bound, *vars(builtins), "np"}
        for name in sorted(used.keys() - known):
            message = f"test {test.id!r}: call uses {name!r}, which given does not set"
            raise DefinitionError([Problem(test.where, message)])

    def _reference_functions(self) -> dict[str, Callable[..., Any]]:
        if self._references is None:
            self._references = {
                name: self._resolve(name, definition.reference)
                for name, definition in self.exercise.defines.items()
                if definition.reference is not None
            }
        return self._references

    def _resolve(self, name: str, spelled: str) -> Callable[..., Any]:
        module, _, attribute = spelled.partition(":")
        where = self.exercise.defines[name].where
        if module.partition(".")[0] != _REFERENCE_ROOT:
            message = (
                f"{name}: a reference lies in the package {_REFERENCE_ROOT!r}, not {spelled!r}"
            )
            raise DefinitionError([Problem(where, message)])
        try:
            found = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise DefinitionError(
                [Problem(where, f"{name}: there is no reference {spelled!r}")]
            ) from error
        if not callable(found):
            raise DefinitionError(
                [Problem(where, f"{name}: the reference {spelled!r} is not callable")]
            )
        return found  # type: ignore[no-any-return]


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    """Stop an author's endless loop. Only a main thread can be interrupted; others go unwatched."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise TimeoutError(f"not done after {AUTHOR_SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, AUTHOR_SECONDS, 1)  # again, should it be caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _line_in_given(error: BaseException) -> int | None:
    """Return the line of the author's code in which an error arose."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.startswith("<given of ")]
    return lines[-1] if lines else None


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:  # noqa: ANN401  any value
    """Evaluate a test's `call` with what its names stand for: the reference, or the submission."""
    return eval(expression, {"np": np, **names})  # noqa: S307  the author's own expression


def freeze(value: Any) -> Any:  # noqa: ANN401  any value
    """Make the arrays in a value read-only, so that no call can change what the next one gets."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value = value.copy()
            value.flags.writeable = False
        return value
    if isinstance(value, tuple):  # a named tuple becomes a plain one, as submissions return it
        return tuple(freeze(item) for item in value)
    if isinstance(value, list):
        return [freeze(item) for item in value]
    if isinstance(value, dict):
        return {key: freeze(item) for key, item in value.items()}
    return value
