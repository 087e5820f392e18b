"""`holds`: check a property that every right answer has."""

import functools
from typing import Any

from grader.definitions.exercise import PropertyTest
from grader.definitions.properties import WITH_AGAINST
from grader.errors import EtudeError
from grader.grading.checks.judgement import (
    Check,
    Judgement,
    evaluated,
    input_changed,
    unusable,
)
from grader.grading.checks.named_properties import DiffersError, Inputs, Trial, find_breach
from grader.grading.expected.inputs import generator
from grader.grading.expected.oracle import Oracle
from grader.grading.program.author_code import TooLargeError, TooLongError, author_error, freeze
from grader.grading.program.loaded_program import LoadedProgram
from grader.grading.program.proxies import NoValueError
from grader.sandbox.answers import ChildGoneError

_NOT_OF_THE_RESULT = (
    DiffersError, NoValueError, ChildGoneError, EtudeError, MemoryError, TooLargeError,
    TooLongError,
)  # fmt: skip
_PERTURBATIONS = 1  # their own part of the test's stream, so that no change correlates with inputs


class PropertyCheck(Check[PropertyTest]):
    """Tries a property, which changes inputs and calls again."""

    def judge(self, program: LoadedProgram, oracle: Oracle, number: int) -> Judgement:
        """Try the property on one draw."""
        test = self.test
        if test.against is None and test.holds in WITH_AGAINST:
            raise author_error(test.where, f"test {test.id!r}: holds {test.holds} needs 'against'")
        draw = oracle.draws(test)[number]
        keep_inputs = test.holds == "unchanged_inputs"
        names = program.names(test.where, keep_inputs=keep_inputs, most=draw.most)
        bindings = program.bindings(names)

        def value(code: str, changes: Inputs) -> Any:  # noqa: ANN401  any value
            return evaluated(code, {**bindings, **oracle.inputs(test, number), **freeze(changes)})

        call = functools.partial(value, test.call)
        against = functools.partial(value, test.against or "None")
        inputs = oracle.inputs(test, number)
        first = evaluated(test.call, {**bindings, **inputs})
        rng = generator(oracle.exercise, test, number, _PERTURBATIONS)
        trial = Trial(test, draw.inputs, call, against, first, rng, draw.shapes)
        try:
            difference = find_breach(trial)
        except _NOT_OF_THE_RESULT:
            raise
        except Exception as error:  # noqa: BLE001  results are of any form, inputs are checked first
            difference = unusable(f"holds: {test.holds}", error)
        if difference is None:
            difference = input_changed(names, inputs, test.call, is_right=False)
        return Judgement(difference, first)
