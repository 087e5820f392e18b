"""The base class of the checks, and the judgement on one draw."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from grader.definitions.exercise import TestCase
from grader.errors import EtudeError
from grader.grading.comparison.compare import Difference, compare
from grader.grading.comparison.nested_values import count_bytes
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.author_code import TooLargeError, compile_expression
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.proxies import NoValueError, allow_forwarding, raise_for_functions
from grader.grading.program.requests import Requests
from grader.grading.results.raw_result import DifferenceKind
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.limits import MAX_ANSWER_BYTES

Test = TypeVar("Test", bound=TestCase)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The submission's value in one draw, and its difference from a right one."""

    difference: Difference | None
    got: Any = None
    share: float = 0.0  # earned share of the points, from 0 to 1; used only with a difference


class DiffersError(Exception):
    """A difference that keeps the test's own code from using the result."""

    def __init__(self, difference: Difference) -> None:
        self.difference = difference
        super().__init__(difference.sentence_key)


class Check(ABC, Generic[Test]):
    """One test, with the behaviour of its kind.

    To add a kind, declare its keys in `definitions.exercise`, derive a class from this one in a
    module of its own, and name the class in `grading.checks`: in the table, or in `make_check` if
    its module is slow to import or not shipped to pages.
    """

    def __init__(self, test: Test) -> None:
        self.test = test

    @abstractmethod
    def judge(self, program: LoadedProgram, oracle: Oracle, draw: Draw) -> Judgement:
        """Run one draw on a submission and judge the result."""

    def compare_values(self, expected: Any, got: Any) -> Difference | None:
        """Return the difference from the expected value, or None."""
        return compare(expected, got, self.test.tolerance)

    def used_names(self, defined: Collection[str]) -> Collection[str]:
        """Return the defined names that the test uses."""
        return defined

    def failing_code(self, error: BaseException) -> str:  # noqa: ARG002  `PytestCheck` uses it
        """Return the Python of the test that raised an error, on one line."""
        lines = self.test.code.strip().split("\n")
        is_flat = all(line and not line[0].isspace() for line in lines)
        return ("; " if is_flat else " ").join(lines)

    def runs_in_page(self) -> bool:
        """Return whether the test gives the same result in a page, which lacks pytest.

        WebAssembly has no floating-point exception flags, so NumPy never warns of overflow there.
        """
        nodes = list(ast.walk(ast.parse(self.test.code)))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module or "")
        raises = any(  # as in np.errstate(over="raise")
            isinstance(node, ast.keyword)
            and isinstance(node.value, ast.Constant)
            and node.value.value == "raise"
            for node in nodes
        )
        return not raises and names.isdisjoint({"pytest", "warnings"})

    def without_time(self) -> Test:
        """Return the test without its time limit: times in a page say nothing about the program."""
        return self.test

    def without_expected(self) -> Test:
        """Return the test without the code or value behind its expected value."""
        return self.test


def unusable_difference(code: str, error: BaseException) -> Difference:
    """Return the difference for a result on which the test's own code fails."""
    facts = {"code": code, "error": type(error).__name__, "message": str(error)}
    return Difference(DifferenceKind.TYPE, "cannot-use", facts)


def find_changed_input(
    requests: Requests, inputs: Mapping[str, Any], code: str = "", *, is_right: bool
) -> Difference | None:
    """Return the difference for a call that changed an argument in place, or None.

    Args:
        is_right: Whether the call's value is known to be right.
    """
    if requests.changed_argument is None:
        return None
    called, place, argument = requests.changed_argument
    input_name = next((name for name, value in inputs.items() if value is argument), "")
    subject = f"`{input_name}`" if input_name else f"{place} of `{code or called}`"
    facts = {"argument": subject, "is_right": is_right}
    return Difference(DifferenceKind.INPUTS, "input-changed", facts)


def evaluate_expression(code: str, names: Mapping[str, Any]) -> Any:
    """Evaluate an expression over a submission's proxies.

    Raises:
        NoValueError, ChildGoneError: The submission gave no value.
        DiffersError: The expression fails on the submission's value.
        TooLargeError: The value of the expression is too large.
    """
    try:
        with allow_forwarding():
            value = eval(compile_expression(code), {"np": np, **names})  # noqa: S307  the author's own
        raise_for_functions(value)
    except (NoValueError, ChildGoneError, EtudeError):
        raise
    except MemoryError as error:
        raise TooLargeError from error
    except Exception as error:  # using a result of an unexpected form can raise anything
        raise DiffersError(unusable_difference(code, error)) from error
    if count_bytes(value) > MAX_ANSWER_BYTES:  # a comparison makes several copies of that size
        raise TooLargeError
    return value
