"""The operations on one submission that requests can ask for; see `submission_server`.

`OPERATIONS` is the table of operations. The parameters of each method are the arguments of the
request, and its docstring describes the payload of status `ok`.
"""

import __future__

import ast
import builtins
import contextlib
import copy
import functools
import inspect
import itertools
import linecache
import operator
import os
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from . import cells, literals, modules, program_uses, suite, value_types, virtual_files, wire
from .streams import OutputLimitError, Stderr, Stdout

FILE_NAME, MODULE_NAME = "submission.py", "submission"
_OURS = os.path.dirname(__file__)  # noqa: PTH120  no pathlib in here
_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED")
_MAX_MESSAGE = 2000  # characters of an error's message
_MAX_FRAMES = 8  # frames of the submission in a traceback
_MAX_NAMES = 200  # names in one answer
_MAX_FAILED = 20  # failed cells that are reported
_MAX_SHAPES = 8  # arrays whose shapes are reported for an error
_MAX_CAUSES = 3  # errors that are reported as the causes of another one
_MAX_ATTRIBUTES = 16  # attributes of an error that are reported
_MAX_ATTRIBUTE = 1 << 14  # encoded size of an attribute in bytes
_BUILTIN_ERROR_ATTRIBUTES = ("code", "name", "path", "value")  # these are not in `vars`
_MAX_WARNINGS = 50  # warnings of one request that are reported
_formatwarning = warnings.formatwarning
_FUTURE_ANNOTATIONS = __future__.annotations.compiler_flag  # applies to all later cells

_OPERATORS: dict[str, Callable[..., object]] = {
    "asarray": np.asarray, "copy": copy.copy, "deepcopy": copy.deepcopy,
}  # fmt: skip


def is_of_submission(kind: object) -> bool:
    """Return whether an object is a class that the submission defines."""
    module = getattr(kind, "__module__", None)
    return isinstance(kind, type) and (module == MODULE_NAME or modules.is_of_program(module))


OPERATIONS: dict[str, Callable[..., object]] = {}
"""The methods that answer requests, by name."""

_Method = TypeVar("_Method", bound=Callable[..., object])


def _operation(method: _Method) -> _Method:
    OPERATIONS[method.__name__] = method
    return method


class SubmissionModule:
    """The module of a submission, with the operations on it."""

    def __init__(self, output: Stdout) -> None:
        self._output = output
        self._stderr = Stderr(output)
        # Texts of the warnings shown so far, to show each only once.
        self._warnings: set[str] = set()
        self.module = types.ModuleType(MODULE_NAME)

    def print_to(self, output: Stdout) -> None:
        """Redirect the submission's output."""
        sys.stdout, sys.stderr = self._output, self._stderr = output, Stderr(output)

    def _position(self) -> int:
        """Return the number of bytes printed, after flushing the submission's own stream."""
        with contextlib.suppress(AttributeError, ValueError):  # the stream is missing or closed
            sys.stdout.flush()
        return self._output.position

    @_operation
    def find_uses(self, source: str) -> object:
        """Return the uses in a program, read from its syntax tree; see `program_uses`."""
        return program_uses.find_uses(source)

    @_operation
    def find_non_answer(self, source: str, names: list[str]) -> object:
        """Return the first part that is not an answer, or None; see `literals`."""
        return literals.find_non_answer(source, names)

    @_operation
    def find_unreturned_value(self, source: str, name: str) -> object:
        """Return the name and the line of a function's last value that is not returned, or None."""
        return program_uses.find_unreturned_value(source, name)

    @_operation
    def put_files(self, contents: dict[str, bytes]) -> None:
        """Write read-only files into the working folder; without one, keep them in memory."""
        for name, content in contents.items():
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            try:
                descriptor = os.open(name, flags, 0o444)
            except OSError:  # the folder is not writable, or the file exists
                virtual_files.serve(contents)
                return
            try:
                while content:
                    content = content[os.write(descriptor, content) :]  # noqa: PLW2901  the remaining bytes
            finally:
                os.close(descriptor)

    @_operation
    def load(self, source: str, names: list[str]) -> dict[str, object]:
        """Run a program; return its public callables, and a description of the names."""
        main = self._install_module(source)
        exec(compile(main, FILE_NAME, "exec"), self.module.__dict__)  # noqa: S102  in a sandbox
        return self._describe_names(names)

    @_operation
    def join_cells(self, numbered_cells: list[list[object]], names: list[str]) -> dict[str, object]:
        """Return the cells that some names need, or all, as one source, and the omitted lines."""
        if names:
            numbered_cells, _ = cells.choose(numbered_cells, names)
        joined = cells.program(numbered_cells)
        failed = [
            [number, describe_error(error)] for number, error in joined.unreadable[:_MAX_FAILED]
        ]
        return {
            "source": joined.source,
            "numbers": [number for number, _ in numbered_cells],
            "modules": joined.modules,
            "left_out": joined.left_out,
            "failed": failed,
        }

    @_operation
    def load_cells(
        self, source: str, names: list[str], cell_ends: list[list[int]]
    ) -> dict[str, object]:
        """Run cells as `load` does, and also return the index and the error of each failed cell.

        After an error in a cell, only the definitions in the rest of the cell are run.

        Args:
            cell_ends: The number and the last line of each cell.
        """
        main = self._install_module(source)
        builtins.display = print  # type: ignore[attr-defined]  # as in a notebook
        warnings.formatwarning = functools.partial(_warning, cell_ends)
        failed: dict[int, dict[str, object]] = {}
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        for index, statement in cells.statements(main, [end for _, end in cell_ends]):
            if index in failed and not isinstance(statement, cells.DEFINITIONS):
                continue
            try:
                tree = ast.Module([statement], [])
                code = compile(tree, FILE_NAME, "exec", flags, dont_inherit=True)
                flags |= code.co_flags & _FUTURE_ANNOTATIONS
                if code.co_flags & inspect.CO_COROUTINE:
                    cells.run_to_its_end(eval(code, self.module.__dict__))  # noqa: S307  in a sandbox
                else:
                    exec(code, self.module.__dict__)  # noqa: S102  in a sandbox
            except (OutputLimitError, MemoryError):
                raise
            except BaseException as error:  # noqa: BLE001  includes SystemExit
                failed.setdefault(index, describe_error(error))
        first = itertools.islice(failed.items(), _MAX_FAILED)
        return {**self._describe_names(names), "failed": [[index, error] for index, error in first]}

    @_operation
    def load_answers(self, source: str, names: list[str]) -> dict[str, object]:
        """Answer as `load` does, but build the values from the syntax tree without running it."""
        self._install_module(source)
        self.module.__dict__.update(literals.answers(source, names, FILE_NAME))
        return self._describe_names(names)

    @_operation
    def run_suite(
        self, source: str, functions: dict[str, Any], begin: Any, max_failures: int
    ) -> list[object]:
        """Run the tests in a source on functions of the trusted side; see `suite.failures`."""
        suite.install(functions)
        main = self._install_module(source)
        exec(compile(main, FILE_NAME, "exec"), self.module.__dict__)  # noqa: S102  in a sandbox
        return suite.failures(self.module.__dict__, begin, describe_error, max_failures)

    def _install_module(self, source: str) -> str:
        """Set up the module as `python submission.py` does; return the main module's text."""
        lines = source.splitlines(keepends=True)
        self.module.__file__ = os.path.abspath(FILE_NAME)  # noqa: PTH100  no pathlib in here
        for name in (FILE_NAME, self.module.__file__):
            linecache.cache[name] = (len(source), None, lines, name)
        sys.modules[MODULE_NAME] = sys.modules["__main__"] = self.module
        sys.argv, sys.orig_argv = [FILE_NAME], [sys.executable, FILE_NAME]
        warnings.formatwarning = functools.partial(_warning, [])
        texts = modules.split(source)
        if not texts:
            modules.remove()
            return source
        main, *others = texts
        code = {name: compile(texts[name], FILE_NAME, "exec") for name in others}
        modules.install(main, self.module, code)
        return texts[main]

    def _describe_names(self, names: list[str]) -> dict[str, object]:
        namespace = self.module.__dict__
        public = [n for n, v in namespace.items() if not n.startswith("_") and callable(v)]
        defined: dict[str, dict[str, object]] = {}  # facts that can explain a wrong call
        for name in filter(namespace.__contains__, names):
            value = namespace[name]
            code = getattr(value, "__code__", None)
            if isinstance(value, type):
                defined[name] = {"callable": True, "type": "class", "signature": _signature(value)}
            elif isinstance(code, types.CodeType):
                defined[name] = {
                    "callable": True,
                    "type": "function",
                    "line": code.co_firstlineno,
                    "signature": _signature(value),
                }
            else:
                defined[name] = {"callable": callable(value), "type": type(value).__name__}
        return {"names": public[:_MAX_NAMES], "defined": defined}

    @_operation
    def call(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> object:
        """Return the value of a call."""
        return self.module.__dict__[name](*args, **kwargs)

    @_operation
    def value(self, name: str) -> object:
        """Return the current value of a name."""
        return self.module.__dict__[name]

    @_operation
    def attribute(self, instance: object, name: str) -> object:
        """Return [False, value] for a value, or [True, None] for a method."""
        value = getattr(instance, name)
        is_value = not callable(value) or isinstance(value, type) or is_of_submission(type(value))
        return [False, value] if is_value else [True, None]

    @_operation
    def method(
        self, instance: object, name: str, args: list[Any], kwargs: dict[str, Any]
    ) -> object:
        """Return the value of a method call."""
        return getattr(instance, name)(*args, **kwargs)

    @_operation
    def operate(self, name: str, operands: list[Any]) -> object:
        """Return the value of an operator or a built-in function."""
        kind: Any = type(operands[0])
        if name == "str" and kind.__str__ is object.__str__:
            name = "repr"
        if name == "repr" and kind.__repr__ is object.__repr__:
            return f"<{kind.__name__} object>"  # without the address, which differs in each run
        act = getattr(operator, name, None) or getattr(builtins, name, None) or _OPERATORS[name]
        return act(*operands)

    @_operation
    def as_data(self, value: object) -> object:
        """Return a value in which each dataclass object is replaced by its fields."""
        return value_types.as_data(value)

    @_operation
    def leave(self, instance: Any, kind: str | None, message: str) -> object:
        """Call `__exit__` at the end of a `with` block, which may have raised an exception."""
        error = None if kind is None else getattr(builtins, kind, Exception)(message)
        return bool(type(instance).__exit__(instance, error and type(error), error, None))

    @_operation
    def signature(self, function: Callable[..., object]) -> list[object]:
        """Return each parameter's name, kind, default and annotation; then the result's."""
        signature = inspect.signature(function)
        parameters = [
            [p.name, int(p.kind), *(_optional_fact(each) for each in (p.default, p.annotation))]
            for p in signature.parameters.values()
        ]
        return [parameters, _optional_fact(signature.return_annotation)]

    @contextlib.contextmanager
    def recording(self, record: list[object]) -> Iterator[None]:
        """Append the warnings and the number of bytes printed during the block to a list."""
        begin = self._position()
        with self._stderr.held_back():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield
            recorded = [
                [
                    [base.__name__ for base in each.category.__mro__],
                    str(each.message)[:_MAX_MESSAGE],
                ]
                for each in caught[:_MAX_WARNINGS]
            ]
            record += [recorded, self._position() - begin]
            for warning in caught:
                text = warnings.formatwarning(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
                if text not in self._warnings:
                    self._warnings.add(text)
                    self._stderr.write(text)

    @_operation
    def run(self, statements: str, variables: dict[str, Any]) -> int:
        """Run statements; return the number of bytes printed, without standard error."""
        # In a copy of the namespace, so that assignments do not change the submission.
        code = compile(statements, "<test>", "exec")
        begin = self._position()
        # Warnings are not part of the compared output, since Python shows each only once.
        with self._stderr.held_back():
            exec(code, {**self.module.__dict__, **variables})  # noqa: S102  in a sandbox
            return self._position() - begin

    @_operation
    def draw_figure(self, statements: str, variables: dict[str, Any]) -> object:
        """Return the data of the figure that statements draw; see `drawn_figure`."""
        from . import drawn_figure  # the zygote has imported it if there are packages

        namespace = {**self.module.__dict__, **variables}
        return drawn_figure.figure_data(drawn_figure.draw(statements, namespace))


def _optional_fact(value: object) -> list[object]:
    """Return facts about a default or an annotation, or an empty list if it is missing."""
    if value is inspect.Parameter.empty:
        return []
    return [value.__name__, True] if isinstance(value, type) else [value, False]


def hide_launcher(folder: str) -> None:
    """Make this process look as if Python had been started with a submission in a folder."""
    os.environ["PWD"] = folder
    sys.path.insert(0, folder)
    for name in _SETTINGS:
        value = os.environ.pop(name, None)
        if value is not None:
            os.putenv(name, value)  # invisible to Python, but read by a BLAS that is loaded later


def remove_submission() -> None:
    """Remove all traces of the submission from this process."""
    sys.modules.pop(MODULE_NAME, None)
    modules.remove()
    for name in suite.MODULES:
        sys.modules.pop(name, None)
    for name in [name for name in linecache.cache if name.endswith(FILE_NAME)]:
        del linecache.cache[name]


def _warning(  # with the parameters of `warnings.formatwarning`
    cell_ends: list[list[int]],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Return the text of a warning; for a notebook with the line of its cell.

    A warning in our own code gets the place "sys", which Python uses for code without a caller.
    """
    if filename.startswith(_OURS):
        return _formatwarning(message, category, "sys", 1, "")
    begin = 0
    for number, end in cell_ends if filename == FILE_NAME else []:
        if number and begin < lineno <= end:
            line = linecache.getline(FILE_NAME, lineno) if line is None else line
            return _formatwarning(message, category, f"cell {number}", lineno - begin, line)
        begin = end
    return _formatwarning(message, category, filename, lineno, line)


def _signature(value: object) -> str:
    try:
        return str(inspect.signature(value))[:_MAX_MESSAGE]  # type: ignore[arg-type]  # it raises for others
    except Exception:  # noqa: BLE001  a submission's decorators may do anything
        return "(...)"


def _is_plain(value: object) -> bool:
    try:
        return len(wire.encode(value)) <= _MAX_ATTRIBUTE
    except wire.UnsupportedValueError:
        return False


def describe_error(error: BaseException, depth: int = 0) -> dict[str, object]:
    """Return facts about an error of the submission as plain data."""
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001  a submission's __str__ may do anything
        message = ""
    frames: list[tuple[types.FrameType, int]] = []  # frames of the submission with their lines
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE_NAME:
            frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    answer: dict[str, object] = {
        "type": type(error).__name__,
        "bases": [base.__name__ for base in type(error).__mro__],
        "message": message[:_MAX_MESSAGE],
        "frames": [(line, frame.f_code.co_name) for frame, line in frames[-_MAX_FRAMES:]],
    }
    with contextlib.suppress(BaseException):  # a submission may have tampered with anything
        arrays: list[list[object]] = []  # names and shapes of arrays in the line that raised
        if frames:
            frame, line = frames[-1]
            words = dict.fromkeys(re.findall(r"[^\W\d]\w*", linecache.getline(FILE_NAME, line)))
            values = [(word, frame.f_locals.get(word)) for word in words]
            arrays = [[word, list(v.shape)] for word, v in values if type(v) is np.ndarray]
        answer["shapes"] = arrays[:_MAX_SHAPES]
        if type(error) is NameError:  # names in scope, for a suggestion
            scope = [each for frame, _ in frames for each in (*frame.f_locals, *frame.f_globals)]
            public = [name for name in dict.fromkeys(scope) if not name.startswith("__")]
            answer["names"] = public[:_MAX_NAMES]
        attributes = {
            name: getattr(error, name) for name in _BUILTIN_ERROR_ATTRIBUTES if hasattr(error, name)
        }
        attributes |= vars(error)
        small = {name: value for name, value in attributes.items() if _is_plain(value)}
        answer["attributes"] = dict(itertools.islice(small.items(), _MAX_ATTRIBUTES))
        if _is_plain(error.args):
            answer["args"] = error.args
        if error.__cause__ is not None and depth < _MAX_CAUSES:
            answer["cause"] = describe_error(error.__cause__, depth + 1)
    if isinstance(error, SyntaxError):
        answer |= {"message": error.msg, "line": error.lineno, "text": (error.text or "")[:200]}
    return answer
