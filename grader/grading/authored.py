"""Runs what an author wrote as Python, in the trusted process. Its errors are the definition's."""

import ast
import contextlib
import functools
import linecache
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any, NoReturn, TypeVar

import numpy as np

from grader.errors import DefinitionError, EtudeError, Location, Problem
from grader.sandbox.limits import AUTHOR_SECONDS

T = TypeVar("T")

_MOST_EXPRESSIONS = 4096  # of a few hundred bytes each
_MARK = "etude:"  # begins the file names of authors' code; no file on disk is called so


def author_error(where: Location, message: str) -> DefinitionError:
    """Make the error for one thing that an author has to mend."""
    return DefinitionError([Problem(where, message)])


def by_author(where: Location, what: str, action: Callable[[], T]) -> T:
    """Do what an author wrote.

    Args:
        where: its place in the definition.
        what: how the error calls it, as "test 'small': given".
        action: runs it.

    Raises:
        DefinitionError: it raises, or does not end.
    """
    try:
        # What it prints is for the author's eyes, never a part of the result on stdout.
        with np.errstate(all="ignore"), contextlib.redirect_stdout(sys.stderr), time_limit():
            return action()
    except (KeyboardInterrupt, EtudeError):
        raise
    except BaseException as error:  # SystemExit too
        line = line_of_author(error)
        of_it = f" (line {line} of it)" if line else ""
        said = f": {error}" if str(error) else ""
        message = f"{what} raises {type(error).__name__}{said}{of_it}"
        raise author_error(where, message) from error


class TooLongError(Exception):
    """What an author wrote did not end in time."""


class TooLargeError(Exception):
    """What a test makes of a submission's values does not fit into memory."""


@contextlib.contextmanager
def time_limit(seconds: float | None = None) -> Iterator[None]:
    """Stop an endless loop. Only a main thread can be interrupted, and that of no page."""
    if not _can_be_interrupted():
        yield
        return
    allowed = AUTHOR_SECONDS if seconds is None else seconds
    with time_limits():
        _alarm.seconds = allowed
        signal.setitimer(signal.ITIMER_REAL, allowed, 1)  # again, should it be caught
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def time_limits() -> Iterator[None]:
    """Make ready for many time limits: to listen to a timer takes longer than to set it."""
    if _alarm.is_heard or not _can_be_interrupted():
        yield
        return
    before = signal.signal(signal.SIGALRM, _alarm.ring)
    _alarm.is_heard = True
    try:
        yield
    finally:
        _alarm.is_heard = False
        signal.signal(signal.SIGALRM, before)


def _can_be_interrupted() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and hasattr(signal, "setitimer")


class _Alarm:
    """What the process's one timer does when it has run down."""

    is_heard = False
    seconds = AUTHOR_SECONDS

    def ring(self, *_: object) -> NoReturn:
        raise TooLongError(f"not done after {self.seconds:g} s")


_alarm = _Alarm()


def remember(source: str, name: str) -> str:
    """Keep an author's source, if functions in it may have to be found and sent; return its name.

    Args:
        source: what is compiled under that name.
        name: tells it from all other sources.
    """
    file_name = f"<{_MARK}{name}>"
    if "def " in source:
        lines = source.splitlines(keepends=True)
        linecache.cache[file_name] = (len(source), None, lines, file_name)
    return file_name


def line_of_author(error: BaseException) -> int | None:
    """Return the line of the author's statements in which an error arose."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.startswith(f"<{_MARK}")]
    return lines[-1] if lines else None


def statement_at(body: str, line: int | None) -> str:
    """Return the innermost statement on a line of an author's statements, on one line."""
    found: ast.stmt | None = None
    for node in ast.walk(ast.parse(body)):
        if isinstance(node, ast.stmt) and line and node.lineno <= line <= (node.end_lineno or 0):
            found = node  # wider ones come first
    segment = ast.get_source_segment(body, found) if found else None
    return " ".join((segment or body).split())


@functools.lru_cache(_MOST_EXPRESSIONS)
def _expression(text: str) -> CodeType:
    return compile(text.strip(), "<expression>", "eval")


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:  # noqa: ANN401  any value
    """Evaluate a test's expression with what its names stand for: the truth, or the submission."""
    return eval(_expression(expression), {"np": np, **names})  # noqa: S307  the author's own expression


@functools.lru_cache(_MOST_EXPRESSIONS)
def names_in(expression: str) -> frozenset[str]:
    """Return the names that an expression takes from outside."""
    tree = ast.parse(expression.strip(), mode="eval")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(node.id for node in names) - bound


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
