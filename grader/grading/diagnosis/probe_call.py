"""Probing calls: plain calls of the names that an exercise defines, and inputs for them."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import (
    CallTest,
    Exercise,
    Expected,
    FromExpression,
    FromReference,
    FromSolution,
    Literals,
    OutputTest,
    Seeded,
    TestCase,
    TestId,
    Tolerance,
)
from grader.errors import DefinitionError
from grader.grading.comparison.compare import compare
from grader.grading.diagnosis.input_values import Inputs, parts, python_text
from grader.grading.diagnosis.written_call import split_call_chain, without_arguments
from grader.grading.expected.inputs import draw_of_sizes
from grader.grading.expected.oracle import Oracle
from grader.grading.program.author_code import evaluate, names_in
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.sandbox.answers import Raised

EXAMPLE_ID: Final = TestId("example")  # reveals nothing about the hidden test
# Characters of a call with its inputs; in a longer call the inputs get lines of their own.
_MAX_CALL_WIDTH: Final = 88
_COARSE_TOLERANCE: Final = Tolerance(1e-3, 1e-3)
_FINE_TOLERANCE: Final = Tolerance(1e-7, 1e-6)  # visible in the eight digits that are shown
_DRAW_SIZES: Final = (2, 3, 4, 5, 6, 7)  # sizes of the additional draws of ordinary inputs
_FIRST_EXTRA_DRAW: Final = 1 << 10  # draw numbers from here on belong to these additional draws
_MAX_TEST_DRAWS: Final = 2  # the test's own draws that count toward the ordinary inputs
_GENERAL_KINDS: Final = (
    DifferenceKind.PROPERTY,
    DifferenceKind.ASSERTION,
    DifferenceKind.TEXT,
    DifferenceKind.FIGURE,
)


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call whose arguments are computed only from the inputs of a test.

    The test's code around the call is left out, since it may reveal the purpose of a hidden test.
    """

    code: str
    names: frozenset[str]  # names of the inputs that it uses
    is_plain: bool = True  # False for the whole expression of a test that discloses its inputs

    def in_line(self, inputs: Mapping[str, Any], named: Sequence[str] = ()) -> str:
        """Return the call with the values of its arguments.

        Args:
            named: Inputs that stay names.

        Raises:
            NotWritableError: An input has no Python text.
        """
        tree = ast.parse(self.code, mode="eval").body

        def write(argument: ast.expr) -> ast.expr:
            if isinstance(argument, ast.Name) and argument.id in named:
                return argument
            text = python_text(evaluate(ast.unparse(argument), inputs))
            return ast.parse(text, mode="eval").body

        for call in split_call_chain(tree)[1]:
            call.args = [write(argument) for argument in call.args]
            for keyword in call.keywords:
                keyword.value = write(keyword.value)
        return ast.unparse(tree)

    def written_out(self, inputs: Mapping[str, Any]) -> tuple[dict[str, str], str]:
        """Return the Python text of the inputs that need lines of their own, and the call.

        Raises:
            NotWritableError: An input has no Python text.
        """
        if not self.is_plain:
            return {name: python_text(inputs[name]) for name in sorted(self.names)}, self.code
        call = self.in_line(inputs)
        if len(call) <= _MAX_CALL_WIDTH:
            return {}, call
        chain = split_call_chain(ast.parse(self.code, mode="eval").body)[1]
        arguments = [argument for call in chain for argument in _list_arguments(call)]
        names = [argument.id for argument in arguments if isinstance(argument, ast.Name)]
        return {name: python_text(inputs[name]) for name in names}, self.in_line(inputs, names)


def find_plain_calls(
    exercise: Exercise, test: TestCase, inputs: Mapping[str, Any]
) -> list[PlainCall]:
    """Return the distinct outermost plain calls in the Python of a test."""
    names = frozenset(inputs)

    def calls(node: ast.AST) -> Iterator[ast.Call]:
        if isinstance(node, ast.Call) and _is_plain(exercise, node, names):
            yield node
        else:
            for child in ast.iter_child_nodes(node):
                yield from calls(child)

    codes = dict.fromkeys(ast.unparse(call) for call in calls(ast.parse(test.code.strip())))
    return [PlainCall(code, _names(ast.parse(code)) & names) for code in codes]


def _is_plain(exercise: Exercise, node: ast.Call, names: frozenset[str]) -> bool:
    base, chain = split_call_chain(node)
    makers = [
        call.func.value if isinstance(call.func, ast.Attribute) else call.func for call in chain
    ]
    if chain[0].func is not base or any(
        maker is not call for call, maker in zip(chain, makers[1:], strict=False)
    ):
        return False
    defined = exercise.defines.get(getattr(base, "id", ""))
    return (
        defined is not None
        and (defined.kind == "class") is (len(chain) > 1)
        and not any(isinstance(argument, ast.Starred) for call in chain for argument in call.args)
        and all(keyword.arg for call in chain for keyword in call.keywords)
        and all(
            _names(value) <= names | {"np"} for call in chain for value in _list_arguments(call)
        )
    )


def _list_arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(name.id for name in ast.walk(node) if isinstance(name, ast.Name))


@dataclass(frozen=True, slots=True)
class ProbeCall:
    """A plain call in a failing test, turned into a test of its own."""

    expected_test: CallTest | OutputTest  # the new test; it expects the value of a right program
    failing_test: TestCase  # provides the inputs
    call: PlainCall
    kind: str  # the kind of difference in the failing test, or "" for any


def make_probe_calls(oracle: Oracle, test: TestCase, raw: RawResult | None) -> Iterator[ProbeCall]:
    """Yield the probing calls for the plain calls of a failing test, if it may be disclosed."""
    exercise = oracle.exercise
    is_secret = test.hidden and isinstance(test.given, Literals)
    if test.disclose == "nothing" or test.budget is not None or is_secret:
        return
    kind = find_failure_kind(raw.got, raw.difference_kind) if raw is not None else ""
    tree = ast.parse(test.code.strip())
    inputs = oracle.draws(test)[0].inputs
    calls = find_plain_calls(exercise, test, inputs)
    if test.disclose == "inputs" and test.compared == "value" and not calls:
        calls = [
            PlainCall(ast.unparse(tree), names_in(test.code) & frozenset(inputs), is_plain=False)
        ]
    if ".dtype" in test.code and "dtype" in exercise.instructions:
        calls += [replace(call, code=f"{call.code}.dtype.name") for call in calls]
    statements = {ast.unparse(line) for line in tree.body if isinstance(line, ast.Expr)}
    by_itself = _compared_by_itself(oracle)
    for call in calls:
        visible_test: CallTest | OutputTest
        if isinstance(test, OutputTest) and call.code in statements:  # only its output counts
            visible_test = OutputTest(
                where=test.where, id=test.id, run=call.code, tolerance=test.tolerance
            )
        elif without_arguments(call.code.removesuffix(".dtype.name")) in by_itself or (
            test.compared == "value" and call.code == ast.unparse(tree)
        ):
            used = names_in(call.code) & exercise.defines.keys()
            has_reference = all(exercise.defines[name].reference for name in used)
            expect: Expected = FromReference() if has_reference else FromSolution()
            if isinstance(test.expect, FromExpression) and call.code == ast.unparse(tree):
                names = names_in(test.expect.code) - exercise.defines.keys() - {"np", "reference"}
                expect = test.expect if names <= call.names else expect
            visible_test = CallTest(
                where=test.where,
                id=test.id,
                call=call.code,
                expect=expect,
                tolerance=_find_tolerance(test.tolerance, raw),
                keep_inputs=test.keep_inputs,
                nan=test.nan,
                accept=test.accept,
                dtype=test.dtype,
            )
        else:
            continue
        yield ProbeCall(visible_test, test, call, kind)


def _compared_by_itself(oracle: Oracle) -> set[str]:
    """Return the plain calls, without arguments, whose bare result some test compares.

    For any other call, a test may accept other results than the solution's.
    """
    return {
        without_arguments(call.code)
        for test in oracle.exercise.tests
        if test.compared == "value"
        for call in find_plain_calls(oracle.exercise, test, oracle.draws(test)[0].inputs)
        if call.code == ast.unparse(ast.parse(test.code.strip()))
    }


def _find_tolerance(tolerance: Tolerance | None, raw: RawResult | None) -> Tolerance:
    """Return the tolerance of an example: coarse enough to show the difference.

    If the failing test itself differs by less than that, as a rounded result does, the finer
    tolerance applies.
    """
    author = tolerance or Tolerance(0.0, 0.0)
    coarse = Tolerance(
        max(author.atol, _COARSE_TOLERANCE.atol), max(author.rtol, _COARSE_TOLERANCE.rtol)
    )
    if raw is None or raw.difference_kind is not DifferenceKind.VALUES:
        return coarse
    # With few digits, right programs differ in the last ones.
    dtypes = [np.asarray(part).dtype for _, part in parts(raw.expected)]
    if np.float16 in dtypes or np.float32 in dtypes:
        return coarse
    if compare(raw.expected, raw.got, coarse) is not None:
        return coarse
    return Tolerance(
        _FINE_TOLERANCE.atol if tolerance is None else tolerance.atol,
        max(author.rtol, _FINE_TOLERANCE.rtol),
    )


def find_failure_kind(got: object, kind: DifferenceKind | None) -> str:
    """Return the kind of a difference or of an error, or "" if the kind is too general."""
    if isinstance(got, Raised):
        return f"raised {got.type}"
    return "" if kind is None or kind in _GENERAL_KINDS else kind.value


def draw_ordinary_inputs(oracle: Oracle, probe: ProbeCall) -> list[Inputs]:
    """Return examples of ordinary inputs for a probing call."""
    names = probe.call.names
    inputs = [draw.inputs for draw in oracle.draws(probe.failing_test)[: len(_DRAW_SIZES)]]
    inputs += [
        draw_probe_inputs(oracle, probe, _FIRST_EXTRA_DRAW + size, (), size)
        for size in _DRAW_SIZES[min(len(inputs), _MAX_TEST_DRAWS) :]
        if isinstance(probe.failing_test.given, Seeded)  # literals are the same in each draw
    ]
    return [{name: value[name] for name in names} for value in inputs if names <= value.keys()]


def draw_probe_inputs(
    oracle: Oracle, probe: ProbeCall, number: int, lengths: tuple[int, ...], size: int
) -> Inputs:
    """Draw the inputs of a probing call; return {} if the author's Python rejects these sizes."""
    try:
        drawn = draw_of_sizes(oracle.exercise, probe.failing_test, number, lengths, size)
    except DefinitionError:
        return {}
    return {name: value for name, value in drawn.items() if name in probe.call.names}
