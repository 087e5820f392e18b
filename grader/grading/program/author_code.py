"""Authors' Python, run on the trusted side. Its errors are errors of the definition.

The modules of a course's reference are imported from the text in the definition, since a worker may
not read the files of a course.
"""

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
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType, NoneType
from typing import Any, Final, NoReturn, TypeVar

import numpy as np

from grader.definitions.exercise import Course, Exercise
from grader.errors import DefinitionError, EtudeError, Location
from grader.sandbox.in_child import virtual_files
from grader.sandbox.in_child.layout import arrange, is_read_only, lend
from grader.sandbox.limits import AUTHOR_SECONDS

T = TypeVar("T")

_MAX_EXPRESSIONS = 4096  # entries of the caches below, of a few hundred bytes each
_MARK = "etude:"  # prefix of the file names of authors' code, to tell its frames from others

_SCALARS: Final = frozenset(np.sctypeDict.values()) - {np.void, np.object_}
_IMMUTABLE: Final = _SCALARS | {NoneType, bool, int, float, complex, str, bytes, range}


_running = 0  # number of nested blocks of authors' code that are running


@contextlib.contextmanager
def authors_code() -> Iterator[None]:
    """Let proxies forward operations to the submission's objects while the block runs.

    Outside of such a block they forward nothing. Otherwise a comparison by the grader itself would
    send the expected value into the sandbox, and the submission would decide whether it is equal.
    """
    global _running  # noqa: PLW0603  one thread grades
    _running += 1
    try:
        yield
    finally:
        _running -= 1


def is_authors_code_running() -> bool:
    """Return whether an author's code is running."""
    return _running > 0


def provide_data_files(exercise: Exercise) -> contextlib.AbstractContextManager[None]:
    """Let an author's code open the data files of an exercise, including hidden ones."""
    return virtual_files.provide({**exercise.data, **exercise.hidden_data})


def run_authors_code(where: Location, description: str, action: Callable[[], T]) -> T:
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
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooLongError` in a block that takes too long.

    Other threads than the main one, and pages, have no such timer. There the block is not limited.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise TooLongError(f"not done after {seconds:g} s")

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
    with warnings.catch_warnings(), authors_code():
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


def freeze_arrays(value: Any) -> Any:
    """Return a value with read-only arrays, so that no call changes the inputs of the next.

    Arrays keep their layout in memory and are writable in the sandbox, except those that the author
    made read-only.
    """
    if isinstance(value, np.ndarray):
        return lend(value) if value.flags.writeable else value
    if isinstance(value, tuple):
        return getattr(value, "_make", tuple)([freeze_arrays(item) for item in value])
    if isinstance(value, (list, dict, deque)):
        frozen = value.copy()  # keeps a subclass such as `defaultdict`
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            frozen[key] = freeze_arrays(item)
        return frozen
    return set(value) if isinstance(value, set) else value


class NotCopyableError(Exception):
    """A value may hold an object that cannot be copied, such as a function or an iterator."""


def copy_containers(value: Any) -> Any:
    """Return a copy of a frozen value for one evaluation, which may change it.

    Lists, dicts and sets are copied. Arrays are shared, since they are read-only.

    Raises:
        NotCopyableError: The value may hold an object that cannot be copied.
    """
    kind = type(value)
    if kind in _IMMUTABLE or (kind is np.ndarray and not value.dtype.hasobject):
        return value
    if kind in {list, tuple, set, frozenset}:
        return kind([i if type(i) in _IMMUTABLE else copy_containers(i) for i in value])
    if kind is dict:
        return {copy_containers(key): copy_containers(item) for key, item in value.items()}
    if kind is type and value in _IMMUTABLE:  # a dtype such as np.float32
        return value
    raise NotCopyableError(kind.__name__)


def copy_for_body(value: Any) -> Any:
    """Return a copy of an input whose arrays the body of a test may change."""
    if type(value) is np.ndarray and not value.dtype.hasobject:
        copy = value.copy() if value.flags.c_contiguous else arrange(value, value.strides)
        copy.flags.writeable = not is_read_only(value)
        return copy
    if type(value) in {list, tuple}:
        return type(value)([copy_for_body(item) for item in value])
    if type(value) is dict:
        return {key: copy_for_body(item) for key, item in value.items()}
    return value


def make_importable(course: Course | None) -> None:
    """Let imports find the reference of one course and of no other.

    Raises:
        DefinitionError: Another module of that name is already imported.
    """
    if course is None or not course.sources or _FINDER.course == course.digest:
        return
    for name, module in list(sys.modules.items()):
        if getattr(module, "__loader__", None) is _FINDER:
            del sys.modules[name]
    if course.reference in sys.modules:
        message = f"reference: another module is called {course.reference!r}; rename the folder"
        raise DefinitionError.at(course.where, message)
    _FINDER.set_course(course)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


class _CourseFinder(MetaPathFinder, InspectLoader):
    """Finds and loads the modules of one course."""

    def __init__(self) -> None:
        self.course = ""  # digest of the course
        self._files: dict[str, str] = {}  # path of the file of each module
        self._sources: dict[str, str] = {}  # text of each file, by path

    def set_course(self, course: Course) -> None:
        """Replace the modules by those of a course."""
        self.course = course.digest
        self._files, self._sources = dict(course.modules), dict(course.sources)
        for path, source in self._sources.items():  # lets tracebacks quote the source
            linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the course, or None for any other module."""
        if fullname not in self._files:
            return None
        is_package = self.is_package(fullname)
        return ModuleSpec(fullname, self, origin=self._files[fullname], is_package=is_package)

    def is_package(self, fullname: str) -> bool:
        """Return whether a module is a package."""
        return self._files[fullname].endswith("/__init__.py")

    def get_source(self, fullname: str) -> str:
        """Return the text of a module."""
        return self._sources[self._files[fullname]]

    def exec_module(self, module: ModuleType) -> None:
        """Run a module."""
        code = compile(self.get_source(module.__name__), self._files[module.__name__], "exec")
        exec(code, vars(module))  # noqa: S102  the author's own code


_FINDER = _CourseFinder()
