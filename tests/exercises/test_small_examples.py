"""Small examples of the shipped exercises: right programs pass them, and hidden tests keep theirs.

`tests/golden/right_programs/<exercise>.<style>.py` are right programs unlike the solutions.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import CallTest, Exercise, FromReference, FromSolution, Seeded
from grader.grading.jobs import Job, Result
from grader.grading.submissions.submission import Submission
from grader.grading.results.verdict import Outcome, SmallExample, Verdict
from grader.grading.session.engine import Engine
from grader.sandbox.process import Sandbox
from tests.grading.conftest import grade

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "golden" / "right_programs").glob("*.py"))
EXERCISES = {
    path.stem.partition("-")[2]: path for path in (ROOT / "exercises").glob("*/[0-9]*.yaml")
}
LARGE_NUMBER = re.compile(r"\b\d{3,}(?:\.\d+)?(?:e\d+)?|\b\d+e\d+")


def submission(code: str) -> Submission:
    return Submission.from_bytes(Path("submission.py"), code.encode())


@functools.cache
def examples_of(slug: str, sandbox: Sandbox) -> Mapping[str, SmallExample]:
    """Return the examples that the misconceptions of an exercise are shown."""
    exercise = load_exercise_file(EXERCISES[slug])
    found: dict[str, SmallExample] = {}
    engine = Engine(sandbox)
    for misconception in exercise.misconceptions:
        verdict = engine.grade(Job(exercise, submission(misconception.code)))
        if verdict.example is not None:
            found[misconception.id] = verdict.example
    return found


def as_test(exercise: Exercise, example: SmallExample) -> CallTest:
    """Return the visible test that an example would be."""
    *lines, call = example.code.splitlines()
    has_reference = all(each.reference for each in exercise.defines.values())
    return CallTest(
        where=exercise.where,
        id=example.result.id,
        given=Seeded("\n".join(lines)),
        call=call,
        expect=FromReference() if has_reference else FromSolution(),
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_right_program_in_another_style_passes(path: Path, sandbox: Sandbox) -> None:
    """The kept programs are right: they pass every test and are shown no example."""
    exercise = load_exercise_file(EXERCISES[path.name.partition(".")[0]])
    verdict = grade(exercise, path.read_text("utf-8"), sandbox)
    assert verdict.outcome is Outcome.PASSED, [test for test in verdict.tests if test.message]
    assert verdict.example is None


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted({path.name.partition(".")[0] for path in PROGRAMS}))
def test_no_right_program_differs_on_an_example(slug: str, sandbox: Sandbox) -> None:
    """Each example that a misconception is shown is passed by every right program."""
    exercise = load_exercise_file(EXERCISES[slug])
    examples = examples_of(slug, sandbox)
    for path in PROGRAMS:
        if path.name.partition(".")[0] != slug:
            continue
        for example in examples.values():
            only = replace(exercise, tests=(as_test(exercise, example),))
            verdict = grade(only, path.read_text("utf-8"), sandbox)
            assert verdict.outcome is Outcome.PASSED, (path.name, example.code)


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(EXERCISES))
def test_no_example_has_a_large_number_of_a_hidden_test(slug: str, sandbox: Sandbox) -> None:
    """What an author wrote into a hidden test, and nowhere else, stands in no example."""
    exercise = load_exercise_file(EXERCISES[slug])
    hidden = " ".join(
        f"{test.code} {test.given}" for test in exercise.tests if test.hidden
    ).replace("_", "")
    public = " ".join(
        f"{test.code} {test.given} {test.expect}" for test in exercise.tests if not test.hidden
    )
    secret = {float(each) for each in LARGE_NUMBER.findall(hidden)}
    secret -= {float(each) for each in LARGE_NUMBER.findall(f"{public} {exercise.instructions}")}
    for example in examples_of(slug, sandbox).values() if secret else ():
        shown = {float(each) for each in LARGE_NUMBER.findall(example.code)}
        assert not shown & secret, example.code
