"""The search for a small wrong result of a submission that fails only hidden tests.

The `given` of the failing tests runs again with every small vector of sizes. The first inputs on
which the submission differs from a right program are simplified array by array. Axes are never cut,
since the result could violate the task. The example reveals nothing about a test:

- The call is a plain call of the exercise's names, without the test's code around it. Some test
  compares its bare result: if tests compare only `abs(f(x))`, either sign of `f(x)` may be right.
- It has no secret of a hidden test: no number, text, key, array or length that an author wrote as a
  literal, or that is the same in all draws. Inputs with a secret are skipped: the submission never
  sees one, so its failures cannot reveal them.
- The values shown come from a child that has seen nothing but the example.

The example is certain to be right: the solution and the reference (or the author's expression)
agree on it, and it has all properties of ordinary draws.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.definitions.exercise import Literals
from grader.errors import DefinitionError
from grader.grading.diagnosis.hidden_constants import PublicValues
from grader.grading.diagnosis.input_search import (
    WALL_SECONDS,
    Clock,
    InputSearch,
    draw_small_inputs,
)
from grader.grading.diagnosis.input_values import (
    Inputs,
    NotWritableError,
    count_numbers,
    python_text,
)
from grader.grading.diagnosis.probe_call import EXAMPLE_ID, ProbeCall, make_probe_calls
from grader.grading.expected.oracle import Oracle
from grader.grading.expected.solution_values import loaded_solution
from grader.grading.jobs import find_limits
from grader.grading.program.author_code import evaluate
from grader.grading.program.loaded_program import load
from grader.grading.results.verdict import Outcome, SmallExample
from grader.grading.run.submission_run import SubmissionRun, grade_example
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.limits import Limits


def find_small_example(run: SubmissionRun) -> SmallExample | None:
    """Return a small example for a run that fails only hidden tests, or None.

    None is also returned if the time is over.
    """
    oracle, exercise, results = run.oracle, run.exercise, run.results
    right = (Outcome.PASSED, Outcome.NOT_RUN)
    failing = [t for t in exercise.tests if t.id in results and results[t.id].outcome not in right]
    if (
        not exercise.small_examples
        or not exercise.solution
        or exercise.hidden_data  # without these files the program would fail differently
        or not all(test.hidden for test in failing)  # a visible test is a better example
    ):
        return None
    limits = replace(find_limits(exercise), cpu_seconds=1, wall_seconds=WALL_SECONDS)
    try:
        probes = [
            probe
            for test in failing
            for probe in make_probe_calls(oracle, test, run.observed.get(test.id))
        ]
        if not probes:
            return None
        clock = Clock()
        with (
            loaded_solution(exercise, oracle.sandbox) as solution,
            oracle.sandbox.child(limits) as child,
        ):
            program = load(child, run.submission, replace(exercise, forbid=None)).program
            if program is None:
                return None
            public = PublicValues(oracle)
            searches = [
                InputSearch(oracle, probe, solution, program, clock, public) for probe in probes
            ]
            for search, inputs, kind in _find_differences(oracle, searches):
                simple = search.simplify(inputs, kind)
                if not search.is_of_a_test(simple) and (
                    example := _make_example(run, limits, search.probe, simple)
                ):
                    return example
    except (ChildGoneError, DefinitionError):  # a child ended, or the inputs were rejected
        return None
    return None


def _find_differences(
    oracle: Oracle, searches: Sequence[InputSearch]
) -> Iterator[tuple[InputSearch, Inputs, str]]:
    """Yield the searches that find a difference, with the inputs and the kind.

    Differences of a failing test's own kind come first, and small inputs before large ones.
    """
    differences: list[tuple[bool, int, int, Inputs, str]] = []
    try:
        for number, search in enumerate(searches):
            if (first := search.find_first(draw_small_inputs(oracle, search.probe))) is not None:
                inputs, kind = first
                is_other = search.probe.kind not in ("", kind)
                differences.append((is_other, count_numbers(inputs), number, inputs, kind))
    except ChildGoneError:
        pass
    for *_, number, inputs, kind in sorted(differences, key=lambda difference: difference[:3]):
        yield searches[number], inputs, kind


def _make_example(
    failed: SubmissionRun, limits: Limits, probe: ProbeCall, inputs: Inputs
) -> SmallExample | None:
    """Run the text of an example as a visible test in a new child; return the example."""
    try:
        lines, call = probe.call.written_out(inputs)
        arguments = {name: evaluate(python_text(value), {}) for name, value in inputs.items()}
    except (NotWritableError, SyntaxError):
        return None
    test = replace(probe.expected_test, given=Literals(arguments))
    if test.is_expression:  # statements run in the submission, which may lack `np`
        test = test.with_code(call)
    exercise = replace(failed.exercise, tests=(test,), forbid=None)
    oracle = Oracle(exercise, failed.oracle.sandbox)
    result = grade_example(oracle, failed.submission, limits)
    if result.outcome not in (Outcome.FAILED, Outcome.ERRORED):
        return None
    code = "\n".join([*(f"{name} = {text}" for name, text in lines.items()), call])
    return SmallExample(code, replace(result, id=EXAMPLE_ID))
