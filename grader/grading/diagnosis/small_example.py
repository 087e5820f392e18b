"""The search for a small input on which a submission is wrong that fails hidden tests only.

The `given` of the failing tests runs again with every small vector of sizes, and the first inputs
on which the submission differs from a right program are simplified array by array. Axes are never
cut: that could leave what the task asks for. What is shown is in no test:

- the call is a plain one of what the task describes, whatever else the test does with it, and some
  test compares its result as it is: of `abs(f(x))` alone, either sign may be right;
- what only hidden tests have is not in it: no number, text, key, array or length that an author
  wrote, as literals or so that it is the same in all draws. It is exchanged before the inputs are
  simplified, in a child that has seen none of it and so cannot tell it by what it fails on;
- the values shown come from a child that has seen nothing but the example.

It is an example for certain: the solution and the reference (or the expression that the author
expects) agree on it, and what holds for ordinary draws of the inputs holds for it too.
"""

import ast
import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
from grader.errors import DefinitionError, GraderFault
from grader.grading.checks import judge
from grader.grading.comparison.compare import RawResult, Rung, compare
from grader.grading.diagnosis.allowed_calls import undecided
from grader.grading.diagnosis.calls import PlainCall, plain_calls, without_arguments
from grader.grading.diagnosis.hidden_constants import PublicValues, Secrets, is_standard
from grader.grading.diagnosis.input_values import (
    ALL_DIFFERENT,
    NotWritableError,
    OrdinaryInputs,
    Path,
    arrays_in,
    at,
    count_numbers,
    is_near,
    is_same,
    numbers_in,
    parts,
    python_of,
    replaced,
)
from grader.grading.diagnosis.simpler_inputs import (
    MOST_NUMBERS,
    alike,
    other_arrays,
    simpler,
    without_number,
)
from grader.grading.expected.inputs import draw_of_sizes
from grader.grading.expected.oracle import Draw, Oracle, ValueCache
from grader.grading.expected.solution_values import loaded_solution
from grader.grading.program.author_code import (
    TooLargeError,
    TooLongError,
    evaluate,
    names_in,
)
from grader.grading.program.loaded_program import LoadedProgram, load
from grader.grading.program.proxies import NoValueError
from grader.grading.results.jobs import limits_of
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome, SmallExample, TestResult
from grader.grading.run.submission_run import SubmissionRun
from grader.sandbox.answers import ChildGoneError, Raised
from grader.sandbox.interface import Children
from grader.sandbox.limits import Limits

_CPU_SECONDS: Final = 0.15  # of our own: there is more to do around a call than in it
_WALL_SECONDS: Final = 1.0  # for programs that compute long or wait

_VISIBLY: Final = Tolerance(1e-3, 1e-3)
_FINELY: Final = Tolerance(1e-7, 1e-6)  # eight digits are shown
_ID: Final = TestId("example")  # the call may be of several hidden tests, and names none
_MOST_LENGTHS: Final = 6  # that are varied independently
_ORDINARY: Final = (2, 3, 4, 5, 6, 7)  # sizes of the draws that show what inputs are like
_OTHER_DRAWS: Final = 1 << 10  # numbers of draws that are not searched
_MOST_KNOWN: Final = 2  # of the test's own draws, where others show what inputs are like
_FORM: Final = (Rung.SHAPE, Rung.LENGTH, Rung.TYPE)

Inputs = Mapping[str, Any]


def small_example(
    oracle: Oracle,
    submission: Submission,
    sandbox: Children,
    results: Mapping[TestId, TestResult],
    observed: Mapping[TestId, RawResult],
) -> SmallExample | None:
    """Return an example for a submission that fails hidden tests only, if one is found in time."""
    exercise = oracle.exercise
    right = (Outcome.PASSED, Outcome.NOT_RUN)
    failing = [t for t in exercise.tests if t.id in results and results[t.id].outcome not in right]
    if (
        not exercise.small_examples
        or not exercise.solution
        or exercise.kind == "predict"
        or exercise.hidden_data  # without these files it would fail otherwise than in the test
        or not all(test.hidden for test in failing)  # a visible test shows more
    ):
        return None
    free, limits = replace(exercise, forbid=None), short_limits(exercise)
    try:
        candidates = [
            each for test in failing for each in questions(oracle, test, observed.get(test.id))
        ]
        if not candidates:
            return None
        clock = Clock()
        with (
            loaded_solution(exercise, sandbox) as solution,
            sandbox.child(limits) as child,
        ):
            program = load(child, submission, free).program
            if program is None:
                return None
            public = PublicValues(oracle)
            searches = [
                Search(oracle, each, solution, program, clock, public) for each in candidates
            ]
            for search, inputs, kind in _differences(searches):
                with sandbox.child(limits) as other:
                    ignorant = load(other, submission, free).program
                    if ignorant is None:
                        continue
                    search.program = ignorant
                    simple = search.simpler(inputs, kind)
                if not search.is_of_a_test(simple) and (
                    example := _example(oracle, submission, sandbox, search.question, simple)
                ):
                    return example
    except (ChildGoneError, DefinitionError):  # a program is over, or does not take the inputs
        return None
    return None


def short_limits(exercise: Exercise) -> Limits:
    """Return the limits of a program whose calls are small."""
    return replace(limits_of(exercise), cpu_seconds=1, wall_seconds=_WALL_SECONDS)


def _differences(searches: Sequence["Search"]) -> Iterator[tuple["Search", Inputs, str]]:
    """Yield the searches that find a difference, with inputs that have no secret, and its kind.

    The smallest come first, and before them those of a failing test's own kind.
    """
    differences: list[tuple[bool, int, int, Inputs, str]] = []
    try:
        for number, search in enumerate(searches):
            if (first := search.first()) is not None:
                inputs, kind = first
                is_other = search.question.kind not in ("", kind)
                differences.append((is_other, count_numbers(inputs), number, inputs, kind))
    except ChildGoneError:
        pass
    for *_, number, inputs, kind in sorted(differences, key=lambda each: each[:3]):
        if (free := searches[number].without_secrets(inputs, kind)) is not None:
            yield searches[number], free, kind


@dataclass(frozen=True, slots=True)
class Question:
    """A plain call of a failing test, as a test of its own."""

    test: CallTest | OutputTest  # of what the reference, the author's expression or solution gives
    of: TestCase  # whose inputs it draws
    call: PlainCall
    kind: str  # the kind of difference in the failing test; "" for any


def questions(oracle: Oracle, test: TestCase, raw: RawResult | None) -> Iterator[Question]:
    """Yield the plain calls of a failing test, if anything may be told of it."""
    exercise = oracle.exercise
    is_secret = test.hidden and isinstance(test.given, Literals)
    if test.disclose == "nothing" or test.budget is not None or is_secret:
        return
    kind = _kind_of(raw.got, raw.rung) if raw is not None else ""
    tree = ast.parse(test.code.strip())
    inputs = oracle.draws(test)[0].inputs
    calls = plain_calls(exercise, test, inputs)
    if test.disclose == "inputs" and test.compared == "value" and not calls:
        calls = [
            PlainCall(ast.unparse(tree), names_in(test.code) & frozenset(inputs), is_plain=False)
        ]
    if ".dtype" in test.code and "dtype" in exercise.instructions:
        calls += [replace(call, code=f"{call.code}.dtype.name") for call in calls]
    statements = {ast.unparse(each) for each in tree.body if isinstance(each, ast.Expr)}
    by_itself = _compared_by_itself(oracle)
    for call in calls:
        visible_test: CallTest | OutputTest
        if isinstance(test, OutputTest) and call.code in statements:  # what it gives does not count
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
                others = names_in(test.expect.code) - exercise.defines.keys() - {"np", "reference"}
                expect = test.expect if others <= call.names else expect
            visible_test = CallTest(
                where=test.where,
                id=test.id,
                call=call.code,
                expect=expect,
                tolerance=_visibly(test.tolerance, raw),
                keep_inputs=test.keep_inputs,
                nan=test.nan,
                accept=test.accept,
                dtype=test.dtype,
            )
        else:
            continue
        yield Question(visible_test, test, call, kind)


def _compared_by_itself(oracle: Oracle) -> set[str]:
    """Return the plain calls, without arguments, whose result is all that some test compares.

    Of any other call, a test may accept more results than the solution's.
    """
    return {
        without_arguments(call.code)
        for test in oracle.exercise.tests
        if test.compared == "value"
        for call in plain_calls(oracle.exercise, test, oracle.draws(test)[0].inputs)
        if call.code == ast.unparse(ast.parse(test.code.strip()))
    }


def _visibly(tolerance: Tolerance | None, raw: RawResult | None) -> Tolerance:
    """Return how far two values must be apart at least, for an eye and for the author.

    What is not as far apart in the failing test, such as a rounded result, or 1e-44 where zero is
    asked for, need not be in the example.
    """
    author = tolerance or Tolerance(0.0, 0.0)
    coarse = Tolerance(max(author.atol, _VISIBLY.atol), max(author.rtol, _VISIBLY.rtol))
    if raw is None or raw.rung is not Rung.VALUES:
        return coarse
    # Numbers of few digits: right programs differ in the last ones.
    dtypes = [np.asarray(part).dtype for _, part in parts(raw.expected)]
    if np.float16 in dtypes or np.float32 in dtypes:
        return coarse
    if compare(raw.expected, raw.got, coarse) is not None:
        return coarse
    return Tolerance(
        _FINELY.atol if tolerance is None else tolerance.atol, max(author.rtol, _FINELY.rtol)
    )


def _kind_of(got: object, rung: Rung | None) -> str:
    if isinstance(got, Raised):
        return f"raised {got.type}"
    return (
        "" if rung in (None, Rung.PROPERTY, Rung.ASSERTION, Rung.TEXT, Rung.FIGURE) else rung.value
    )


class Clock:
    """The time for a search."""

    def __init__(self, cpu_seconds: float = _CPU_SECONDS) -> None:
        wall_seconds = _WALL_SECONDS * cpu_seconds / _CPU_SECONDS
        self._cpu = time.process_time() + cpu_seconds
        self._wall = time.monotonic() + wall_seconds

    @property
    def is_over(self) -> bool:
        """True if no time is left."""
        return time.process_time() > self._cpu or time.monotonic() > self._wall


class Search:
    """The search for inputs of a question on which two programs differ.

    Args:
        solution: Loaded in a child.
        program: The submission, in another one. For the simpler inputs, in one that has seen no
            secret: it could tell it by which of them it goes wrong on.
        most: The most numbers of an example.
    """

    sizes: tuple[int, ...] = (1, 2, 2, 3, 3, 4, 5)  # draws after those with each small vector

    def __init__(
        self,
        oracle: Oracle,
        question: Question,
        solution: LoadedProgram,
        program: LoadedProgram,
        clock: Clock,
        public: PublicValues,
        most: int = MOST_NUMBERS,
    ) -> None:
        self.question = question
        self.program = program
        self._oracle = oracle
        self._values = Oracle(oracle.exercise, oracle.sandbox, ValueCache())
        self._solution = solution
        self._clock = clock
        self._public = public
        self._most = most

    @cached_property
    def _draws(self) -> list[Inputs]:
        return ordinary_inputs(self._oracle, self.question)

    @cached_property
    def _ordinary(self) -> OrdinaryInputs:
        return OrdinaryInputs(self._draws)

    @cached_property
    def _secrets(self) -> Secrets:
        return Secrets(self._draws, self._public)

    def is_of_a_test(self, inputs: Inputs) -> bool:
        """Return whether inputs are those of a draw of the test."""
        return any(
            all(name in draw.inputs and is_same(inputs[name], draw.inputs[name]) for name in inputs)
            for draw in self._oracle.draws(self.question.of)
        )

    def first(self) -> tuple[Inputs, str] | None:
        """Return the smallest inputs that show a difference, of the test's own kind if possible."""
        other = None
        for inputs in self.draws():
            if self._clock.is_over:
                break
            if count_numbers(inputs) > self._most or not self._fits(inputs):
                continue
            kind = self.difference(inputs)
            if kind and self.question.kind in ("", kind):
                return inputs, kind
            if kind and other is None:
                other = inputs, kind
        return other

    def draws(self) -> Iterator[Inputs]:
        """Yield inputs drawn with every small vector of sizes, then with ordinary sizes."""
        numbers = itertools.count()
        source = self.question.of.given
        code = source.code if isinstance(source, Seeded) else ""
        lengths = sum(int(count) for count in re.findall(r"\bsizes\(\s*(\d+)", code))
        vectors = itertools.product((1, 2), repeat=min(lengths, _MOST_LENGTHS)) if lengths else ()
        for vector in sorted(vectors, key=sum):
            for _ in range(2):
                yield _draw(self._oracle, self.question, next(numbers), vector, max(vector))
        for size in self.sizes:
            yield _draw(self._oracle, self.question, next(numbers), (), size)

    def difference(self, inputs: Inputs) -> str:
        """Return the kind of the difference that inputs show; "" if none."""
        test = replace(self.question.test, given=Literals(inputs))
        draws = self._values.cache.draws
        draws.pop(test.id, None)
        try:
            if test.needs_solution:
                if isinstance(test, OutputTest):
                    value: Any = self._solution.printed_by(test.where, test.run, inputs)
                else:
                    names = self._solution.names(test.where, keep_inputs=test.keep_inputs)
                    value = evaluate(test.call, {**self._solution.bindings(names), **inputs})
                draws[test.id] = (Draw(inputs, value),)
            expected = self._values.draws(test)[0].expected
        except (ChildGoneError, GraderFault):
            raise
        except Exception:  # noqa: BLE001  the reference or the solution does not take these inputs
            return ""
        if undecided(expected, lambda: self._ordinary.has_ties(inputs)):
            return ""
        kind = self._kind(self.program, test)
        return "" if kind and not test.needs_solution and self._kind(self._solution, test) else kind

    def _kind(self, program: LoadedProgram, test: CallTest | OutputTest) -> str:
        try:
            difference = judge(program, self._values, test, self._values.draws(test)[0])
        except NoValueError as error:
            return _kind_of(error.answer, None) or "no value"
        except (TooLargeError, TooLongError):
            return "too large"
        except DefinitionError:  # the test's own code does not take these inputs
            return ""
        return "" if difference.difference is None else difference.difference.rung.value

    def _fits(self, value: Any, path: Path = ()) -> bool:
        """Return whether inputs, or a part of them, keep what holds for ordinary draws."""
        return self._ordinary.lacking(value, path) <= {ALL_DIFFERENT}

    def _changed(
        self, inputs: Inputs, path: Path, part: Any, kind: str, *, free: bool = True
    ) -> Inputs | None:
        """Return inputs with another part, if they still show a difference of the same kind.

        Args:
            free: Whether inputs with a secret are refused.
        """
        changed = replaced(inputs, path, part)
        if count_numbers(changed) > self._most or not self._fits(part, path):
            return None
        if free and next(self._secrets_in(changed), None) is not None:
            return None
        return changed if self.shows(changed, kind) else None

    def shows(self, inputs: Inputs, kind: str) -> bool:
        """Return whether inputs show a difference of this kind, if there is time to see it."""
        try:
            return not self._clock.is_over and self.difference(inputs) == kind
        except ChildGoneError:
            return False

    def simpler(self, inputs: Inputs, kind: str) -> Inputs:
        """Return inputs made simpler, part by part, without a secret."""
        for path, part in list(parts(inputs)):
            for simple in simpler(part, in_order=kind in _FORM):
                if is_same(simple, part):
                    break
                changed = self._changed(inputs, path, simple, kind)
                if changed is not None:
                    inputs = changed
                    break
        return inputs

    def without_secrets(self, inputs: Inputs, kind: str) -> Inputs | None:
        """Return inputs in which what hidden tests may have is exchanged for something else."""
        if self._secrets.has_any_in(self.question.call.code, inputs):
            return None
        while (secret := next(self._secrets_in(inputs), None)) is not None:
            path, values = secret
            tried = (self._changed(inputs, path, each, kind, free=False) for each in values)
            free = next((each for each in tried if each is not None), None)
            if free is None:
                return None
            inputs = free
        return inputs

    def _secrets_in(self, inputs: Inputs) -> Iterator[tuple[Path, Iterator[Any]]]:
        """Yield the paths to what hidden tests may have, with other values to try there."""
        is_secret = self._secrets.has_number
        for path, array in arrays_in(inputs):
            if self._secrets.has_array(path, array):
                part = at(inputs, path)
                new = (each for each in other_arrays(array) if not is_near(each, array))
                yield path, (x if part is array else type(part)(x.tolist()) for x in new)
        for path, part in parts(inputs):
            if np.ndim(part) and is_standard(np.asarray(part)):
                continue
            for number in filter(is_secret, numbers_in(part)):
                others = [each for each in (*alike(number), 0.0, 1.0, 2.0) if not is_secret(each)]
                if np.asarray(part).dtype.kind not in "iuf":
                    others = []
                new = (x for other in others for x in without_number(part, number, other))
                yield path, (x for x in new if number not in numbers_in(x))


def ordinary_inputs(oracle: Oracle, question: Question) -> list[Inputs]:
    """Return inputs that show what a question is usually asked with."""
    names = question.call.names
    inputs = [draw.inputs for draw in oracle.draws(question.of)[: len(_ORDINARY)]]
    inputs += [
        _draw(oracle, question, _OTHER_DRAWS + size, (), size)
        for size in _ORDINARY[min(len(inputs), _MOST_KNOWN) :]
        if isinstance(question.of.given, Seeded)  # literals are the same in each draw
    ]
    return [{name: each[name] for name in names} for each in inputs if names <= each.keys()]


def _draw(
    oracle: Oracle, question: Question, number: int, lengths: tuple[int, ...], size: int
) -> Inputs:
    try:
        drawn = draw_of_sizes(oracle.exercise, question.of, number, lengths, size)
    except DefinitionError:  # sizes for which the author's Python does not work
        return {}
    return {name: value for name, value in drawn.items() if name in question.call.names}


def _example(
    oracle: Oracle, submission: Submission, sandbox: Children, question: Question, inputs: Inputs
) -> SmallExample | None:
    """Run the text of an example as a visible test, in a new child, and return the example."""
    try:
        lines, call = question.call.written_out(inputs)
        arguments = {name: evaluate(python_of(value), {}) for name, value in inputs.items()}
    except (NotWritableError, SyntaxError):
        return None
    test = question.test
    if isinstance(test, OutputTest):  # it runs in the submission, where there may be no `np`
        test = replace(test, given=Literals(arguments))
    else:
        test = replace(test, call=call, given=Literals(arguments))
    exercise = replace(oracle.exercise, tests=(test,), forbid=None)
    values = Oracle(exercise, sandbox, ValueCache()).values_of(test)
    again = Oracle(exercise, sandbox, ValueCache({test.id: values}))
    with SubmissionRun(again, submission, sandbox, short_limits(exercise)) as run:
        run.load()
        result = run.grade(test)
    if result.outcome not in (Outcome.FAILED, Outcome.ERRORED):
        return None
    code = "\n".join([*(f"{name} = {text}" for name, text in lines.items()), call])
    return SmallExample(
        code, replace(result, id=_ID, inputs=(), points=0, max_points=0, seconds=None)
    )
