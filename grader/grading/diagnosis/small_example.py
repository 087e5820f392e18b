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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.definitions.exercise import Exercise, Literals, OutputTest, TestId
from grader.errors import DefinitionError
from grader.grading.comparison.compare import RawResult
from grader.grading.diagnosis.hidden_constants import PublicValues
from grader.grading.diagnosis.input_search import WALL_SECONDS, Clock, InputSearch, small_draws
from grader.grading.diagnosis.input_values import (
    Inputs,
    NotWritableError,
    count_numbers,
    python_text,
)
from grader.grading.diagnosis.question import Question, questions
from grader.grading.expected.oracle import Oracle, ValueCache
from grader.grading.expected.solution_values import loaded_solution
from grader.grading.program.author_code import evaluate
from grader.grading.program.loaded_program import load
from grader.grading.results.jobs import find_limits
from grader.grading.results.verdict import Outcome, SmallExample, TestResult
from grader.grading.run.submission_run import SubmissionRun
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.interface import Children
from grader.sandbox.limits import Limits

_ID: Final = TestId("example")  # the call may be of several hidden tests, and names none


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
                InputSearch(oracle, each, solution, program, clock, public) for each in candidates
            ]
            for search, inputs, kind in _differences(oracle, searches):
                with sandbox.child(limits) as other:
                    ignorant = load(other, submission, free).program
                    if ignorant is None:
                        continue
                    search.program = ignorant
                    simple = search.simplify(inputs, kind)
                if not search.is_of_a_test(simple) and (
                    example := _example(oracle, submission, sandbox, search.question, simple)
                ):
                    return example
    except (ChildGoneError, DefinitionError):  # a program is over, or does not take the inputs
        return None
    return None


def short_limits(exercise: Exercise) -> Limits:
    """Return the limits of a program whose calls are small."""
    return replace(find_limits(exercise), cpu_seconds=1, wall_seconds=WALL_SECONDS)


def _differences(
    oracle: Oracle, searches: Sequence[InputSearch]
) -> Iterator[tuple[InputSearch, Inputs, str]]:
    """Yield the searches that find a difference, with inputs that have no secret, and its kind.

    The smallest come first, and before them those of a failing test's own kind.
    """
    differences: list[tuple[bool, int, int, Inputs, str]] = []
    try:
        for number, search in enumerate(searches):
            if (first := search.find_first(small_draws(oracle, search.question))) is not None:
                inputs, kind = first
                is_other = search.question.kind not in ("", kind)
                differences.append((is_other, count_numbers(inputs), number, inputs, kind))
    except ChildGoneError:
        pass
    for *_, number, inputs, kind in sorted(differences, key=lambda difference: difference[:3]):
        if (free := searches[number].without_secrets(inputs, kind)) is not None:
            yield searches[number], free, kind


def _example(
    oracle: Oracle, submission: Submission, sandbox: Children, question: Question, inputs: Inputs
) -> SmallExample | None:
    """Run the text of an example as a visible test, in a new child, and return the example."""
    try:
        lines, call = question.call.written_out(inputs)
        arguments = {name: evaluate(python_text(value), {}) for name, value in inputs.items()}
    except (NotWritableError, SyntaxError):
        return None
    test = question.test
    if isinstance(test, OutputTest):  # it runs in the submission, where there may be no `np`
        test = replace(test, given=Literals(arguments))
    else:
        test = replace(test, call=call, given=Literals(arguments))
    exercise = replace(oracle.exercise, tests=(test,), forbid=None)
    values = Oracle(exercise, sandbox, ValueCache()).test_values(test)
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
