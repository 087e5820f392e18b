"""Authors' Python, run on the trusted side. Its errors are errors of the definition."""

import ast
import contextlib
import contextvars
import functools
import linecache
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any, NoReturn, TypeVar

import numpy as np

from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, EtudeError, Location
from grader.grading.program.proxies import allow_forwarding
from grader.sandbox.in_child import virtual_files
from grader.sandbox.limits import AUTHOR_SECONDS

T = TypeVar("T")

_MAX_EXPRESSIONS = 4096  # entries of the caches below, of a few hundred bytes each
_MARK = "etude:"  # prefix of the file names of authors' code, to tell its frames from others


def provide_data_files(exercise: Exercise) -> contextlib.AbstractContextManager[None]:
    """Let an author's code open the data files of an exercise, including hidden ones."""
    return virtual_files.provide({**exercise.data, **exercise.hidden_data})


def run_author_code(where: Location, description: str, action: Callable[[], T]) -> T:
    """Return the result of an author's code.

    Args:
        description: The code's description in errors, such as "test 'small': given".

    Raises:
        DefinitionError: The code raises an error or does not end in time.
    """
    try:
        # Its output goes to stderr, because stdout carries the result.
        with (
            np.errstate(all="ignore"),
            contextlib.redirect_stdout(sys.stderr),
            time_limit(AUTHOR_SECONDS),
        ):
            # In a context of its own, so that its NumPy settings do not leak.
            return contextvars.copy_context().run(action)
    except (KeyboardInterrupt, EtudeError):
        raise
    except BaseException as error:  # includes SystemExit
        line = find_author_line(error)
        line_suffix = f" (line {line} of it)" if line else ""
        reason = f": {error}" if str(error) else ""
        message = f"{description} raises {type(error).__name__}{reason}{line_suffix}"
        raise DefinitionError.at(where, message) from error


class TooLongError(Exception):
    """An author's code did not end in time."""


class TooLargeError(Exception):
    """A test's work on a submission's values does not fit into memory."""


@contextlib.contextmanager
def time_limit(seconds: float, error: type[BaseException] = TooLongError) -> Iterator[None]:
    """Raise an error in a block that takes too long.

    Other threads than the main one, and pages, have no such timer. There the block is not limited.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise error(f"not done after {seconds:g} s")

    handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # repeated, in case the error is caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def register_source(source: str, name: str) -> str:
    """Return the file name for an author's source; keep the source for `inspect.getsource`.

    Args:
        name: A name that is unique to the source.
    """
    file_name = f"<{_MARK}{name}>"
    if "def " in source:
        lines = source.splitlines(keepends=True)
        linecache.cache[file_name] = (len(source), None, lines, file_name)
    return file_name


def find_author_line(error: BaseException) -> int | None:
    """Return the line of the author's code in which an error arose, or None."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.startswith(f"<{_MARK}")]
    return lines[-1] if lines else None


def find_statement(body: str, line: int | None) -> str:
    """Return the innermost statement at a line of an author's code, joined into one line."""
    statement: ast.stmt | None = None
    for node in ast.walk(ast.parse(body)):
        if isinstance(node, ast.stmt) and line and node.lineno <= line <= (node.end_lineno or 0):
            statement = node  # `ast.walk` yields inner statements last
    segment = ast.get_source_segment(body, statement) if statement else None
    return " ".join((segment or body).split())


@functools.lru_cache(_MAX_EXPRESSIONS)
def compile_expression(expression: str) -> CodeType:
    """Compile a test's expression."""
    return compile(expression.strip(), "<expression>", "eval")


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """Evaluate a test's expression over the reference's names.

    Warnings are ignored: they would reach the terminal without the place of the test.
    """
    with warnings.catch_warnings(), allow_forwarding():
        warnings.simplefilter("ignore")
        return eval(compile_expression(expression), {"np": np, **names})  # noqa: S307  the author's own


@functools.lru_cache(_MAX_EXPRESSIONS)
def names_in(expression: str) -> frozenset[str]:
    """Return the free names of an expression."""
    tree = ast.parse(expression.strip(), mode="eval")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(node.id for node in names) - bound
