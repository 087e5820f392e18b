"""`pytest`: run the body of a pytest test, with rewritten asserts, on a submission's proxies."""

import ast
import builtins
import contextlib
import functools
import inspect
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from grader.definitions.exercise import PytestTest
from grader.errors import DefinitionError, EtudeError, Location
from grader.grading.checks.asserts import ASSERTS
from grader.grading.checks.judgement import (
    Check,
    Judgement,
    find_changed_input,
    unusable_difference,
)
from grader.grading.comparison.compare import Difference, is_masked
from grader.grading.comparison.printed_text import plain_print
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.author_code import (
    TooLargeError,
    TooLongError,
    find_author_line,
    find_statement,
    register_source,
    time_limit,
)
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.proxies import NoValueError, allow_forwarding
from grader.grading.program.requests import Requests
from grader.grading.program.value_copies import copy_for_body
from grader.grading.results.raw_result import DifferenceKind
from grader.sandbox.answers import ChildGoneError, Raised
from grader.sandbox.limits import AUTHOR_SECONDS

_NOT_A_TEST = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MASK_WORDS: Final = re.compile(r"\bma\b|\bmasked|\.mask\b|Masked")
_AUTHOR_ERRORS = (NameError, ImportError, SyntaxError)

# A submission's exception is raised here as one of these, so that `pytest.raises` can catch it.
# Exceptions that would end our own process are left out, except `SystemExit`, which a body can
# expect.
_RAISED: Final[dict[str, type[BaseException]]] = {
    **{
        name: kind
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, (Exception, SystemExit))
    },
    "LinAlgError": np.linalg.LinAlgError,
    "AxisError": np.exceptions.AxisError,
}


class PytestCheck(Check[PytestTest]):
    """The run of a body in which the submission's names are bound to proxies."""

    def judge(self, program: LoadedProgram, oracle: Oracle, draw: Draw) -> Judgement:
        """Run the body with the inputs of one draw."""
        test = self.test
        values = oracle.inputs(test, draw).values()
        allows_masked = _MASK_WORDS.search(test.pytest) is not None or any(map(is_masked, values))
        requests = Requests(
            program,
            test.where,
            keep_inputs=test.keep_inputs,
            error=rebuild_exception,
            max_bytes=draw.max_bytes,
            in_body=True,
            allows_masked=allows_masked,
        )
        inputs = {name: copy_for_body(value) for name, value in oracle.inputs(test, draw).items()}
        namespace = {**program.bindings(requests), **inputs}
        seconds = program.child.limits.wall_seconds
        file_name = f"pytest of {oracle.exercise.digest} {test.id}"
        difference = _run_body(test, file_name, namespace, requests, seconds)
        if requests.stop_iteration is not None and "StopIteration" not in test.pytest:
            raise requests.stop_iteration
        # A changed input comes first: the rest of the body computed with it.
        return Judgement(find_changed_input(requests, inputs, is_right=False) or difference)

    def failing_code(self, error: BaseException) -> str:
        """Return the statement that raised an error."""
        return find_statement(self.test.pytest, find_author_line(error))


def _run_body(
    test: PytestTest,
    name: str,
    namespace: Mapping[str, Any],
    requests: Requests,
    seconds: float,
) -> Difference | None:
    """Run the body once.

    Args:
        name: A file name that is unique to the body's source.
        namespace: The given names, and a proxy or value for each defined name.
        seconds: The submission's wall-clock limit; `AUTHOR_SECONDS` are added for the body's work.

    Returns:
        The difference for the first assertion that fails, or None.

    Raises:
        NoValueError, ChildGoneError: A call gave no value, and the body did not expect that.
        TooLongError, TooLargeError: With the submission's values, the body does not end or needs
            too much memory.
        DefinitionError: The body cannot run with any submission.
    """
    captured = _CapturedOutput() if "capsys" in test.pytest else None
    fixtures = {} if captured is None else {"capsys": captured}
    run = _function(test.pytest, name, test.where, test.id)({**fixtures, **namespace})
    try:
        with (
            contextlib.redirect_stdout(captured or sys.stderr),
            warnings.catch_warnings(record=True),  # otherwise pytest would report them
            _hidden_ci(),
            time_limit(seconds + AUTHOR_SECONDS),
            allow_forwarding(),
        ):
            warnings.simplefilter("always")
            _call_body(run, requests)
    except (NoValueError, ChildGoneError, EtudeError, KeyboardInterrupt):
        raise
    except ASSERTS.ends_early as error:  # before `fails`: XFailed is a subclass of Failed
        message = f"test {test.id!r}: pytest: a test of a submission is never skipped"
        raise DefinitionError.at(test.where, message) from error
    except ASSERTS.fails as error:
        statement = find_statement(test.pytest, find_author_line(error))
        explanation = _explanation(ASSERTS.explain(statement, error))
        facts = {"statement": statement, "explanation": explanation}
        return Difference(DifferenceKind.ASSERTION, "assertion", facts)
    except (TooLongError, TooLargeError) as error:
        if not requests.was_asked:
            raise _not_running(test, error) from error
        raise
    except BaseException as error:  # includes SystemExit
        # Of these errors, a submission can cause only an unbound local: its empty result leaves the
        # variable of a loop unbound.
        is_author_s = isinstance(error, _AUTHOR_ERRORS) and not isinstance(error, UnboundLocalError)
        if is_author_s or not requests.was_asked or not isinstance(error, Exception):
            raise _not_running(test, error) from error
        statement = find_statement(test.pytest, find_author_line(error))
        return unusable_difference(statement, error)
    return None


@contextlib.contextmanager
def _hidden_ci() -> Iterator[None]:
    """Hide that this is a CI, where pytest would add a whole diff to an assertion."""
    values = {name: os.environ.pop(name) for name in ("CI", "BUILD_NUMBER") if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(values)


class _Streams(NamedTuple):
    out: str
    err: str


class _CapturedOutput(io.StringIO):
    """Standard output during a body, and pytest's `capsys`."""

    def readouterr(self) -> _Streams:
        """Return the output since the last call."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return _Streams(text, "")


def _call_body(run: Callable[[], object], requests: Requests) -> None:
    """Run a body.

    An error that no test can expect is raised again even if `pytest.raises(Exception)` caught it.
    """
    try:
        run()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        unexpected = requests.first_unexpected_error
        if unexpected is not None and unexpected is not error:
            raise unexpected from error
        if isinstance(answer := getattr(error, "_answer", None), Raised):
            raise NoValueError(answer).with_traceback(error.__traceback__) from error
        if isinstance(error, MemoryError):
            raise TooLargeError(str(error)) from error
        raise
    if requests.first_unexpected_error is not None:
        raise requests.first_unexpected_error


def _not_running(test: PytestTest, error: BaseException) -> EtudeError:
    line = find_author_line(error)
    line_suffix = f" (line {line} of it)" if line else ""
    message = f"test {test.id!r}: pytest raises {type(error).__name__}: {error}{line_suffix}"
    return DefinitionError.at(test.where, message)


@functools.lru_cache(1024)
def _function(
    body: str, name: str, where: Location, test_id: str
) -> Callable[[dict[str, Any]], Callable[[], object]]:
    """Compile a body; return a function that binds its names and returns it as a callable."""
    file_name = register_source(body, name)
    tree = ast.parse("def test(): pass", file_name)
    statements = ast.parse(body, file_name).body
    if not statements:
        raise DefinitionError.at(where, f"test {test_id!r}: pytest: there is no statement in it")
    tree.body[0].body = statements  # type: ignore[attr-defined]  # the def parsed above
    ASSERTS.rewrite(tree, body.encode())
    code = compile(ast.fix_missing_locations(tree), file_name, "exec")

    def bind(names: dict[str, Any]) -> Callable[[], object]:
        namespace = {"np": np, **ASSERTS.names, **names}
        exec(code, namespace)  # noqa: S102  the author's own code
        function: Callable[[], object] = namespace["test"]
        if function.__code__.co_flags & _NOT_A_TEST:
            message = f"test {test_id!r}: pytest: with yield or await in it nothing would run"
            raise DefinitionError.at(where, message)
        return function

    return bind


_NO_RAISE = re.compile(r"DID NOT RAISE (?:<class ')?(?:\w+\.)*(\w+)")
_OBJECT = re.compile(r"<[^<>]*>|\bfunction\b")


def _explanation(text: str) -> str:
    """Return pytest's explanation on one line, without the addresses of objects."""
    if missed := _NO_RAISE.search(text):
        return f"no {missed[1]} was raised"
    lines = [
        line.strip().removeprefix("assert ")
        for line in text.splitlines()
        if line.strip() and not _OBJECT.search(line) and "Use -v to get more diff" not in line
    ]
    parts = (line.removeprefix("+").strip() for line in lines)
    joined = "; ".join(part for part in parts if part != "False")  # "False" adds nothing
    return " ".join(plain_print(joined).split())


def rebuild_exception(answer: Raised) -> BaseException:
    """Return the error that a submission claims to have raised, with its message and attributes.

    Its attribute `_answer` is the answer.

    A builtin exception keeps its type. An exception of the submission's own type becomes an
    instance of the builtin types that it claims as bases. Without such a base, the result is a
    `NoValueError`.
    """
    claimed = tuple(name for name in answer.bases if name in _RAISED)
    if not claimed:
        return NoValueError(answer)
    error = _instantiate(_RAISED[claimed[0]], answer) if claimed[0] == answer.type else None
    if error is None or str(error) != answer.message:
        error = _instantiate(_error_class(answer.type, claimed), answer)
    for name, value in answer.attributes.items():
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            setattr(error, name, value)
    error._answer = answer  # type: ignore[attr-defined]  # noqa: SLF001  our own
    if answer.cause is not None:
        error.__cause__ = rebuild_exception(answer.cause)
    return error


def _instantiate(kind: type[BaseException], answer: Raised) -> BaseException:
    args = (answer.message,) if answer.args is None else answer.args
    try:
        return kind(*args)
    except Exception:  # noqa: BLE001  some constructors need more than `args` holds
        error: BaseException = kind.__new__(kind)
        error.args = args
        return error


@functools.lru_cache(64)
def _error_class(name: str, claimed: tuple[str, ...]) -> type[BaseException]:
    kinds = [_RAISED[base] for base in claimed]
    narrow = [k for k in kinds if not any(issubclass(o, k) and o is not k for o in kinds)]
    try:
        return type(name, (_WithOwnMessage, *dict.fromkeys(narrow)), {})
    except TypeError:  # if the memory layouts of these bases conflict
        return type(name, (_WithOwnMessage, narrow[0]), {})


class _WithOwnMessage:
    """An exception with the message that it had in the sandbox."""

    _answer: Raised

    def __str__(self) -> str:
        return self._answer.message
