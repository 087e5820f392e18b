"""The inputs and expected values of an exercise's tests, computed once and cached.

This is the only module that uses `reference` and the reference of a course; `confine` imports the
bare package, so that its files stay readable. Authors' Python runs here on the trusted side. A
learner's code never does, and a solution runs only in a sandbox.
"""

import builtins
import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, Final, TypeAlias, TypeVar

from grader.definitions.exercise import (
    Compared,
    Exercise,
    FromExpression,
    FromReference,
    FromSolution,
    LiteralValue,
    TestCase,
    TestId,
)
from grader.errors import DefinitionError, GraderFault
from grader.grading.comparison.compare import shape_tree
from grader.grading.comparison.nested_values import count_bytes
from grader.grading.expected.budget import measure, total_usage
from grader.grading.expected.inputs import draw_inputs
from grader.grading.expected.solution_values import ask_solution, loaded_solution
from grader.grading.program.author_code import evaluate, names_in, run_author_code
from grader.grading.program.course_modules import make_importable
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.proxies import find_objects, raise_for_functions
from grader.grading.program.requests import Requests
from grader.grading.program.value_copies import NotCopyableError, copy_containers, freeze_arrays
from grader.sandbox.answers import Usage
from grader.sandbox.in_child.value_types import as_data
from grader.sandbox.in_child.wire import MAX_BODY
from grader.sandbox.interface import ChildFactory
from grader.sandbox.limits import DEFAULT_RESULT_BYTES, MAX_RESULT_FACTOR, RESULT_ALLOWANCE_BYTES

_REFERENCE_ROOT = "reference"

_SolutionResult = TypeVar("_SolutionResult")
_Inputs = Mapping[str, Any]
# An expected value, and the size in bytes of the largest result of a call in it, if known.
_SizedValue = tuple[Any, int | None]


@dataclass(frozen=True, slots=True)
class Draw:
    """One set of inputs of a test and the expected value. Both must not be changed.

    Authors' code may change its inputs, so it gets `Oracle.inputs` instead.
    """

    inputs: Mapping[str, Any]
    expected: Any  # the text of an output test; None for a test without an expected value
    max_bytes: int = MAX_BODY  # maximum size of the arrays in a result, in bytes
    shapes: Any = None  # for a property test, the shapes of the reference's result if it has one
    number: int = 0  # position among the draws of the test, counted from 0


@dataclass(frozen=True, slots=True)
class TestValues:
    """The values that one test needs, as far as they are computed."""

    draws: tuple[Draw, ...]
    usages: tuple[Usage, ...] = ()  # usage of the call in each draw, if the test has a budget
    exact: tuple[Any, ...] = ()  # the unrounded expected value, if the author's literal is rounded


ValueCache: TypeAlias = dict[TestId, TestValues]
"""The values of the tests of an exercise and its variants."""


class Oracle:
    """The computation of inputs and expected values for the tests of one exercise.

    Args:
        sandbox: The sandbox of the exercise's solution and of the submissions, if any are run.
        cache: Values that need not be computed again; new ones are added. They may come from
            another variant of the exercise: one with the same id, in which tests with the same id
            ask the same.
    """

    def __init__(
        self,
        exercise: Exercise,
        sandbox: ChildFactory | None = None,
        cache: ValueCache | None = None,
    ) -> None:
        self.exercise = exercise
        self.cache: ValueCache = {} if cache is None else cache
        self._sandbox = sandbox
        self._references: dict[str, Any] | None = None

    @property
    def sandbox(self) -> ChildFactory:
        """The sandbox of the exercise's solution and of the submissions.

        Raises:
            GraderFault: There is none.
        """
        if self._sandbox is None:
            raise GraderFault(f"{self.exercise.id}: its solution can only be run in a sandbox")
        return self._sandbox

    def draws(self, test: TestCase) -> tuple[Draw, ...]:
        """Return a test's draws in order.

        Raises:
            DefinitionError: The author's code raises an error, or its reference does not exist.
            GraderFault: The solution is needed, but there is no sandbox for it.
        """
        if test.id not in self.cache:
            try:
                self.cache[test.id] = TestValues(tuple(self._compute_draws(test)))
            except MemoryError as error:
                message = f"test {test.id!r}: too large for the grader's memory; draw less: {error}"
                raise DefinitionError.at(test.where, message) from None
        return self.cache[test.id].draws

    def _compute_draws(self, test: TestCase) -> Iterator[Draw]:
        """Yield the draws of a test that are not cached yet."""
        draws = [draw_inputs(self.exercise, test, n) for n in range(test.seeds)]
        copies = [self._copy_inputs(test, number, inputs) for number, inputs in enumerate(draws)]
        values = self._compute_expected(test, copies)
        for number, (inputs, (value, returned)) in enumerate(zip(draws, values, strict=True)):
            is_property = test.compared == "property"
            expected = None if is_property else freeze_arrays(value)
            size = max(count_bytes(dict(inputs)), count_bytes(expected), returned or 0)
            slack = DEFAULT_RESULT_BYTES if returned is None else RESULT_ALLOWANCE_BYTES
            shapes = shape_tree(value) if is_property else None
            max_bytes = MAX_RESULT_FACTOR * size + slack
            yield Draw(inputs, expected, max_bytes, shapes, number)

    def inputs(self, test: TestCase, draw: Draw) -> _Inputs:
        """Return a copy of the inputs of one draw for one evaluation, which may change it.

        Raises:
            DefinitionError: The author's code raises an error when it draws the inputs again.
        """
        return self._copy_inputs(test, draw.number, draw.inputs)

    def _copy_inputs(self, test: TestCase, number: int, drawn: _Inputs) -> _Inputs:
        """Copy inputs, or draw them again if they hold something with state, such as a function."""
        try:
            return {name: copy_containers(value) for name, value in drawn.items()}
        except NotCopyableError:
            return draw_inputs(self.exercise, test, number)

    def recompute_expected(self, test: TestCase) -> list[Any]:
        """Return a test's expected values, computed again from the same inputs.

        Raises:
            DefinitionError, GraderFault: See `draws`.
        """
        inputs = [self.inputs(test, draw) for draw in self.draws(test)]
        return [freeze_arrays(value) for value, _ in self._compute_expected(test, inputs)]

    def prepare(self) -> None:
        """Compute all values in advance, so that they take no time from the submission.

        Raises:
            DefinitionError, GraderFault: See `draws`.
        """
        for test in self.exercise.tests:
            self.draws(test)
            self.usages(test)

    def usages(self, test: TestCase) -> tuple[Usage, ...]:
        """Return the usage of each draw's call by the reference or, without one, by the solution.

        The result is empty for a test without a budget.

        Raises:
            DefinitionError, GraderFault: See `draws`.
        """
        if test.budget is None:
            return ()
        draws = self.draws(test)
        usages = self.cache[test.id].usages
        if not usages:
            if self.budget_baseline(test) == "solution":
                inputs = [self.inputs(test, draw) for draw in draws]
                usages = tuple(self._run_solution(test, inputs, _measure_solution))
            else:

                def call(draw: Draw) -> Callable[[], object]:
                    names = {**self._reference_names(), **self.inputs(test, draw)}
                    return lambda: evaluate(test.code, names)

                usages = tuple(measure(call(draw), call(draw)) for draw in draws)
            # Rounded up to whole KiB, since a few bytes vary with the code that ran before.
            usages = tuple(
                replace(usage, peak_bytes=-(-usage.peak_bytes // 1024) * 1024) for usage in usages
            )
            self.cache[test.id] = replace(self.cache[test.id], usages=usages)
        return usages

    def exact(self, test: TestCase, draw: Draw) -> Any:
        """Return a draw's expected value unrounded, also where the author's literal is rounded.

        Raises:
            DefinitionError: See `draws`.
        """
        is_literal = isinstance(test.expect, LiteralValue) and test.seeds == 1
        if not is_literal or not self.has_reference(test.code):
            return draw.expected
        values = self.cache[test.id]
        if not values.exact:
            ((value, _),) = self._evaluate_code(test, "call", test.code, [self.inputs(test, draw)])
            values = self.cache[test.id] = replace(values, exact=(freeze_arrays(value),))
        return values.exact[0]

    def test_values(self, test: TestCase) -> TestValues:
        """Return a test's draws, usages and exact value.

        Raises:
            DefinitionError, GraderFault: See `draws`.
        """
        draws = self.draws(test)
        with contextlib.suppress(DefinitionError):  # because it costs only a part of a sentence
            self.exact(test, draws[0])
        self.usages(test)
        return self.cache[test.id]

    def budget_baseline(self, test: TestCase) -> str:
        """Return the program whose usage a budget is relative to: "reference" or "solution"."""
        compares_solution = isinstance(test.expect, FromSolution)
        by_reference = self.has_reference(test.code) and not compares_solution
        return "reference" if by_reference else "solution"

    def has_reference(self, code: str) -> bool:
        """Return whether the reference defines all of the exercise's names in an expression."""
        defined = self.exercise.defines
        used = names_in(code) & defined.keys()
        return bool(used) and all(defined[name].reference for name in used)

    def _compute_expected(self, test: TestCase, inputs: Sequence[_Inputs]) -> list[_SizedValue]:
        if test.against is not None:
            self._check_names(test, "against", test.against, inputs)
        if test.is_expression:
            self._check_names(test, "call", test.code, inputs)
        match test.expect:
            case LiteralValue(value):
                return [(value, None)] * len(inputs)
            case FromReference():
                return self._evaluate_code(test, "call", test.code, inputs)
            case FromExpression(code):
                return self._evaluate_code(test, "expect", code, inputs)
        if test.compared == "property" and self.has_reference(test.code):
            with contextlib.suppress(DefinitionError):  # a property works without shapes
                return self._evaluate_code(test, "call", test.code, inputs)
        if test.needs_solution:
            return self._run_solution(test, inputs, _ASK_SOLUTION[test.compared])
        return [(test.stdout, None)] * len(inputs)

    def _evaluate_code(
        self, test: TestCase, field: str, code: str, inputs: Sequence[_Inputs]
    ) -> list[_SizedValue]:
        course = self.exercise.course
        packages = (_REFERENCE_ROOT, *([course.reference] if course else ()))
        root = {name: _Package(name) for name in packages if name and field == "expect"}
        description = f"test {test.id!r}: {field}"

        def value(arguments: _Inputs) -> _SizedValue:
            sizes: list[int] = []
            make_importable(course)
            references = {
                name: _record_sizes(each, sizes) for name, each in self._reference_names().items()
            }
            names = {**root, **references, **arguments}
            data = as_data(run_author_code(test.where, description, lambda: evaluate(code, names)))
            return data, max(sizes, default=None) if field == "call" else None

        return [value(arguments) for arguments in inputs]

    def _run_solution(
        self,
        test: TestCase,
        inputs: Sequence[_Inputs],
        ask: Callable[[LoadedProgram, TestCase, _Inputs], _SolutionResult],
    ) -> list[_SolutionResult]:
        """Return the solution's answer for each draw, using one child for all."""
        description = f"test {test.id!r}"
        with loaded_solution(self.exercise, self.sandbox) as program:

            def value(arguments: _Inputs) -> _SolutionResult:
                field = f"{description}: what it asks of the solution"
                question = functools.partial(
                    ask_solution, test.where, description, lambda: ask(program, test, arguments)
                )
                return run_author_code(test.where, field, question)

            return [value(arguments) for arguments in inputs]

    def _check_names(
        self, test: TestCase, field: str, code: str, inputs: Sequence[_Inputs]
    ) -> None:
        """Raise for a call that uses an undefined name, since no submission could pass it."""
        unknown = names_in(code).difference(*inputs[:1], self.exercise.defines, {"np"})
        for name in sorted(unknown.difference(vars(builtins)) if unknown else ()):
            message = f"test {test.id!r}: {field} uses {name!r}, which given does not set"
            raise DefinitionError.at(test.where, message)

    def _reference_names(self) -> Mapping[str, Any]:
        """Return the reference's objects for the names that the exercise defines."""
        if self._references is None:
            references = {}
            for name, definition in self.exercise.defines.items():
                if definition.reference is None:
                    continue
                module, _, attribute = definition.reference.partition(":")
                make_importable(self.exercise.course)
                imported = run_author_code(
                    definition.where,
                    f"{name}: import of {module!r}",
                    functools.partial(importlib.import_module, module),
                )
                if not hasattr(imported, attribute):
                    message = f"{name}: there is no reference {definition.reference!r}"
                    raise DefinitionError.at(definition.where, message)
                references[name] = getattr(imported, attribute)
                if not callable(references[name]) and definition.kind != "value":
                    message = f"{name}: the reference {definition.reference!r} is not callable"
                    raise DefinitionError.at(definition.where, message)
            self._references = references
        return {name: freeze_arrays(value) for name, value in self._references.items()}


class _Package:
    """A package whose modules are imported on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        package = importlib.import_module(self._name)
        if not hasattr(package, name):
            importlib.import_module(f"{self._name}.{name}")
        member = getattr(package, name)
        return _Package(member.__name__) if hasattr(member, "__path__") else member


def _record_sizes(value: Any, sizes: list[int]) -> Any:
    """Wrap a function so that it records the size of each result; return other values as is."""
    if not isinstance(value, FunctionType):
        return value

    def call(*args: Any, **kwargs: Any) -> Any:
        result = value(*args, **kwargs)
        sizes.append(count_bytes(result))
        return result

    return call


def _measure_solution(program: LoadedProgram, test: TestCase, inputs: _Inputs) -> Usage:
    call_usages: list[Usage] = []
    requests = Requests(program, test.where, usages=call_usages)
    evaluate(test.code, {**program.bindings(requests), **inputs})
    return total_usage(call_usages)


def _print_output(program: LoadedProgram, test: TestCase, inputs: _Inputs) -> _SizedValue:
    return program.capture_output(test.where, test.code, inputs), None


def _draw_figure(program: LoadedProgram, test: TestCase, inputs: _Inputs) -> _SizedValue:
    figure = Requests(program, test.where).run_statements("draw_figure", test.code, inputs)
    if figure is None:
        raise DefinitionError.at(test.where, f"test {test.id!r}: the solution draws no figure")
    return figure, None


def _call_solution(program: LoadedProgram, test: TestCase, inputs: _Inputs) -> _SizedValue:
    requests = Requests(program, test.where)
    value = evaluate(test.code, {**program.bindings(requests), **inputs})
    raise_for_functions(value)
    value = requests.as_data(value)
    if any(find_objects(value)):
        message = f"test {test.id!r}: the call gives an object, which cannot be compared"
        raise DefinitionError.at(test.where, message)
    return value, requests.largest_result_bytes


# How the expected value comes from the solution, by what a test compares.
_ASK_SOLUTION: Final[
    Mapping[Compared, Callable[[LoadedProgram, TestCase, _Inputs], _SizedValue]]
] = {
    "value": _call_solution,
    "text": _print_output,
    "figure": _draw_figure,
}
