"""The search for inputs on which two programs differ, without secrets of hidden tests."""

import itertools
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from grader.definitions.exercise import CallTest, Literals, OutputTest, Seeded
from grader.errors import DefinitionError, GraderFault
from grader.grading.checks import judge
from grader.grading.comparison.compare import EXACT, compare
from grader.grading.diagnosis.call_judgement import find_undecided_reason
from grader.grading.diagnosis.hidden_constants import PublicValues, Secrets
from grader.grading.diagnosis.input_values import (
    ALL_DIFFERENT,
    Inputs,
    OrdinaryInputs,
    count_numbers,
    parts,
    with_part_at,
)
from grader.grading.diagnosis.probe_call import (
    ProbeCall,
    draw_ordinary_inputs,
    draw_probe_inputs,
    find_failure_kind,
)
from grader.grading.diagnosis.simpler_inputs import MAX_NUMBERS, simpler_values
from grader.grading.expected.oracle import Draw, Oracle, TestValues
from grader.grading.program.author_code import TooLargeError, TooLongError, evaluate
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.proxies import NoValueError
from grader.grading.program.requests import Requests
from grader.grading.results.raw_result import DifferenceKind
from grader.sandbox.answers import ChildGoneError

_CPU_SECONDS: Final = 0.15  # CPU time of our own process, which does most of the work
WALL_SECONDS: Final = 1.0
"""Wall-clock limit, for programs that compute long or wait."""

_MAX_LENGTHS: Final = 6  # lengths that are varied independently
_SIZES: Final = (1, 2, 2, 3, 3, 4, 5)  # sizes of the draws after those with each small vector
_FORM: Final = (DifferenceKind.SHAPE, DifferenceKind.LENGTH, DifferenceKind.TYPE)


class Clock:
    """The deadline of a search, in CPU time and wall-clock time."""

    def __init__(self) -> None:
        self._cpu_end = time.process_time() + _CPU_SECONDS
        self._wall_end = time.monotonic() + WALL_SECONDS

    @property
    def is_over(self) -> bool:
        """True if the time is over."""
        return time.process_time() > self._cpu_end or time.monotonic() > self._wall_end


def draw_small_inputs(oracle: Oracle, probe: ProbeCall) -> Iterator[Inputs]:
    """Yield inputs drawn with every vector of the lengths 1 and 2, then with ordinary sizes."""
    numbers = itertools.count()
    source = probe.failing_test.given
    code = source.code if isinstance(source, Seeded) else ""
    lengths = sum(int(count) for count in re.findall(r"\bsizes\(\s*(\d+)", code))
    vectors = itertools.product((1, 2), repeat=min(lengths, _MAX_LENGTHS)) if lengths else ()
    for vector in sorted(vectors, key=sum):
        for _ in range(2):
            yield draw_probe_inputs(oracle, probe, next(numbers), vector, max(vector))
    for size in _SIZES:
        yield draw_probe_inputs(oracle, probe, next(numbers), (), size)


class InputSearch:
    """The search for inputs of a probing call on which two programs differ.

    Args:
        solution: The solution, loaded in a child.
        program: The submission, loaded in another child. It must not see a secret, since it could
            reveal it by the inputs on which it fails.
    """

    def __init__(
        self,
        oracle: Oracle,
        probe: ProbeCall,
        solution: LoadedProgram,
        program: LoadedProgram,
        clock: Clock,
        public: PublicValues,
    ) -> None:
        self.probe = probe
        self._program = program
        self._oracle = oracle
        self._values = Oracle(oracle.exercise, oracle.sandbox)
        self._solution = solution
        self._clock = clock
        draws = draw_ordinary_inputs(oracle, probe)
        self._ordinary = OrdinaryInputs(draws)
        self._secrets = Secrets(draws, public)

    def is_of_a_test(self, inputs: Inputs) -> bool:
        """Return whether inputs equal those of a draw of the test."""
        return any(
            inputs.keys() <= draw.inputs.keys()
            and all(compare(draw.inputs[n], value, EXACT) is None for n, value in inputs.items())
            for draw in self._oracle.draws(self.probe.failing_test)
        )

    def find_first(self, draws: Iterable[Inputs]) -> tuple[Inputs, str] | None:
        """Return the first inputs that show a difference, and its kind.

        Inputs with the kind of difference of the failing test are preferred.
        """
        second_choice = None
        for inputs in draws:
            if self._clock.is_over:
                break
            if (
                count_numbers(inputs) > MAX_NUMBERS
                or not self._ordinary.lacking(inputs) <= {ALL_DIFFERENT}
                or self._secrets.has_any_in(self.probe.call.code, inputs)
            ):
                continue
            kind = self._difference(inputs)
            if kind and self.probe.kind in ("", kind):
                return inputs, kind
            if kind and second_choice is None:
                second_choice = inputs, kind
        return second_choice

    def _difference(self, inputs: Inputs) -> str:
        """Return the kind of the difference for some inputs, or ""."""
        test = replace(self.probe.expected_test, given=Literals(inputs))
        known_values = self._values.cache
        known_values.pop(test.id, None)
        try:
            if test.needs_solution:
                if isinstance(test, OutputTest):
                    value: Any = self._solution.capture_output(test.where, test.run, inputs)
                else:
                    requests = Requests(self._solution, test.where, keep_inputs=test.keep_inputs)
                    value = evaluate(test.call, {**self._solution.bindings(requests), **inputs})
                known_values[test.id] = TestValues((Draw(inputs, value),))
            expected = self._values.draws(test)[0].expected
        except (ChildGoneError, GraderFault):
            raise
        except Exception:  # noqa: BLE001  the reference or the solution rejects these inputs
            return ""
        if find_undecided_reason(expected, lambda: self._ordinary.has_ties(inputs)):
            return ""
        kind = self._kind(self._program, test)
        if kind and not test.needs_solution and self._kind(self._solution, test):
            return ""
        return kind

    def _kind(self, program: LoadedProgram, test: CallTest | OutputTest) -> str:
        try:
            difference = judge(program, self._values, test, self._values.draws(test)[0])
        except NoValueError as error:
            return find_failure_kind(error.answer, None) or "no value"
        except (TooLargeError, TooLongError):
            return "too large"
        except DefinitionError:  # the test's own code rejects these inputs
            return ""
        return "" if difference.difference is None else difference.difference.kind.value

    def simplify(self, inputs: Inputs, kind: str) -> Inputs:
        """Return simpler inputs without secrets, replacing one part after the other."""
        for path, part in list(parts(inputs)):
            for simple in simpler_values(part, in_order=kind in _FORM):
                if compare(part, simple, EXACT) is None:
                    break
                simpler = with_part_at(inputs, path, simple)
                if (
                    self._ordinary.lacking(simple, path) <= {ALL_DIFFERENT}
                    and not self._secrets.has_values_in(simpler)
                    and self._shows(simpler, kind)
                ):
                    inputs = simpler
                    break
        return inputs

    def _shows(self, inputs: Inputs, kind: str) -> bool:
        """Return whether inputs show a difference of this kind; False if the time is over."""
        try:
            return not self._clock.is_over and self._difference(inputs) == kind
        except ChildGoneError:
            return False
