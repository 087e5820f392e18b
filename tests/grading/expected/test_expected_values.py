"""Sources of expected values: the reference, the solution, an expression, printed text."""

from pathlib import Path

import numpy as np
import pytest

from grader.errors import DefinitionError, GraderFault
from grader.grading.expected.oracle import Oracle
from grader.grading.results.verdict import Outcome
from grader.grading.run.submission_run import SubmissionRun
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from tests.grading.conftest import GradeAll, GradeOne, Make, grade

RIGHT = "def f(x): return 2 * x"
SEEDED = {"given": "x = rng.standard_normal(size)", "call": "f(x)"}


@pytest.mark.parametrize(
    ("source", "outcome"), [(RIGHT, "passed"), ("def f(x): return x + x[0]", "failed")]
)
def test_the_solution_gives_the_expected_values(
    grade_one: GradeOne, source: str, outcome: str
) -> None:
    """`expect: solution` compares with what the exercise's own solution returns, on every draw."""
    assert grade_one(source, {**SEEDED, "seeds": 4, "expect": "solution"}).outcome == outcome


def test_objects_of_the_solution_work_as_the_submission_s_do(grade_one: GradeOne) -> None:
    """A class of the solution is made and called in the solution's child."""
    counter = "class f:\n    def __init__(self, n): self.n = n\n    def up(self, by): return self.n + by\n"
    result = grade_one(
        counter.replace("+ by", "- by"),
        {"call": "f(3).up(2)", "expect": "solution"},
        solution=counter,
        defines={"f": {"kind": "class"}},
    )
    assert result.message == "The result should be 5, but is 1."


def test_text_that_is_left_out_is_what_the_solution_prints(grade_one: GradeOne) -> None:
    """`run` without `stdout`."""
    test = {"given": {"x": [1.0, 2.5]}, "run": "print(f(x), f(x).shape)"}
    assert grade_one(RIGHT, test).outcome == "passed"
    wrong = grade_one("def f(x): return x", test)
    assert wrong.message.startswith("Printed `[1. 2.5] (2,)`; expected `[2. 5.] (2,)`.")


@pytest.mark.parametrize(
    "expression",
    [
        "x + x",
        "np.add(x, x)",
        "reference.arrays and x + x",
        "reference.softmax.softmax(x) * 0 + 2 * x",
    ],
)
def test_an_expression_gives_the_expected_value(grade_one: GradeOne, expression: str) -> None:
    """It may use the given names, NumPy and every module of the reference."""
    test = {"given": {"x": [1.0, 2.5]}, "call": "f(x)", "expect": {"expression": expression}}
    assert grade_one(RIGHT, test).outcome == "passed"
    assert grade_one("def f(x): return x", test).outcome == "failed"


def test_an_expression_may_use_the_reference_s_counterparts(grade_one: GradeOne) -> None:
    """The names under `defines` stand for the reference in it, never for the submission."""
    test = {"given": {"x": [1.0, 2.5]}, "call": "f(x)", "expect": {"expression": "f(x)"}}
    defines = {"f": {"reference": "reference.softmax:softmax"}}
    result = grade_one("def f(x): return x", test, defines=defines)
    assert result.outcome == "failed"


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        (
            "def f(x): return 1 / 0",
            "the solution raises ZeroDivisionError: division by zero (line 1",
        ),
        ("raise ValueError('no')\ndef f(x): ...", "the solution raises ValueError: no (line 1"),
        ("def f(x): return (y for y in [x])", "the solution gives generator, which cannot be"),
        ("class f:\n    def __init__(self, x): ...", "write 'kind: class'"),
        ("def f(x):\n    import os; os._exit(1)", "the solution ended"),
    ],
)
def test_a_solution_that_gives_no_value_is_the_author_s_error(
    make: Make, sandbox: Sandbox, solution: str, message: str
) -> None:
    """No submission fails because the solution does."""
    test = {"given": {"x": 1}, "call": "f(x)", "expect": "solution"}

    def graded() -> object:
        exercise = make(test, solution=solution)
        return grade(exercise, RIGHT, sandbox)

    with pytest.raises(DefinitionError) as caught:
        graded()
    assert message in str(caught.value)
    assert "small.yaml" in str(caught.value)


def test_without_a_sandbox_a_solution_is_never_run(make: Make) -> None:
    """An oracle that was given none says so instead of running it here."""
    exercise = make({"given": {"x": 1}, "call": "f(x)", "expect": "solution"})
    with pytest.raises(GraderFault, match="only be run in a sandbox"):
        Oracle(exercise).draws(exercise.tests[0])


def test_the_solution_does_not_share_a_child_with_the_submission(grade_all: GradeAll) -> None:
    """A submission's changes to NumPy do not reach the expected values."""
    source = "import numpy as np\nnp.add = lambda a, b: a\ndef f(x): return np.add(x, x)"
    solution = "import numpy as np\ndef f(x): return np.add(x, x)"
    verdict = grade_all(source, {**SEEDED, "expect": "solution"}, solution=solution)
    assert verdict.tests[0].outcome is Outcome.FAILED


def test_sizes_grow_from_draw_to_draw(make: Make) -> None:
    """The first draw has size 2, the last 10, a single one 5; sizes are different and as small."""
    given = "n, m, k = sizes(3)\nx = np.array([size, n, m, k])\nsize = size"
    many = make({"given": given, "seeds": 9, "call": "f(x)", "expect": 1})
    draws = [draw.inputs["x"].tolist() for draw in Oracle(many).draws(many.tests[0])]
    assert [size for size, *_ in draws] == list(range(2, 11))
    assert all(len(set(lengths)) == 3 for _, *lengths in draws)
    assert all(max(lengths) <= max(size, 4) for size, *lengths in draws)
    one = make({"given": given, "call": "f(x)", "expect": 1})
    assert Oracle(one).draws(one.tests[0])[0].inputs["size"] == 5


def test_names_that_the_grader_gives_may_be_inputs(make: Make) -> None:
    """If `given` sets them."""
    given = "sizes = [size, *sizes(2)]\nsize = 7"
    exercise = make({"given": given, "call": "f(sizes, size)", "expect": 1})
    (draw,) = Oracle(exercise).draws(exercise.tests[0])
    assert (len(draw.inputs["sizes"]), draw.inputs["size"]) == (3, 7)


def test_in_each_third_draw_one_size_is_1(make: Make) -> None:
    """Each in its turn, unless `least` forbids it; all other numbers are drawn as without it."""
    draws = {}
    for least in (1, 2):
        given = f"n, m = sizes(2, least={least})\nx = np.array([n, m, *rng.uniform(2, 9, 3)])"
        exercise = make({"given": given, "seeds": 9, "call": "f(x)", "expect": 1})
        found = Oracle(exercise).draws(exercise.tests[0])
        draws[least] = np.array([draw.inputs["x"] for draw in found])
    assert np.argwhere(draws[1] == 1).tolist() == [[2, 0], [5, 1], [8, 0]]
    draws[2][draws[1] == 1] = 1
    assert np.array_equal(draws[1], draws[2])


def test_sizes_are_the_same_in_every_run(make: Make) -> None:
    """The draws of a test depend on its exercise and id only."""
    exercise = make({"given": "x = np.array(sizes(4))", "seeds": 5, "call": "f(x)", "expect": 1})
    first, second = (
        [draw.inputs["x"] for draw in Oracle(exercise).draws(exercise.tests[0])] for _ in range(2)
    )
    assert np.array_equal(first, second)


def test_partial_credit_is_in_proportion_to_the_draws_that_pass(grade_one: GradeOne) -> None:
    """All draws run, points are rounded down, and the test has still failed."""
    test = {
        "given": "x = np.full(size, float(size))",
        "seeds": 9,
        "partial": True,
        "points": 4,
        "call": "f(x)",
        "expect": "solution",
    }
    result = grade_one("def f(x): return 2 * x if len(x) < 7 else x", test)
    assert (result.outcome, result.points, result.max_points) == ("failed", 2, 4)
    assert result.message.endswith("(Inputs 6 of 9.) 5 of 9 inputs pass: 2 points.")
    assert grade_one(RIGHT, test).points == 4


def test_a_program_that_ends_earns_nothing_for_the_draws_after_it(grade_one: GradeOne) -> None:
    """Partial credit counts what was seen to pass."""
    test = {
        **SEEDED,
        "seeds": 4,
        "partial": True,
        "points": 4,
        "hidden": True,
        "expect": "solution",
    }
    source = "import os\ndef f(x):\n    return 2 * x if len(x) < 7 else os._exit(0)"
    result = grade_one(source, test)
    assert (result.outcome, result.points) == ("errored", 2)
    assert (
        result.message == "Your code raised an error or ended for the inputs of this hidden test."
    )


@pytest.mark.parametrize(
    "test",
    [
        {"run": "print(f(x))", "stdout": "[0. 0. 0. 0. 0. 0. 0. 0. 0. 0.]"},
        {"holds": "rows_sum_to_one", "call": "f(x)"},
        {"pytest": "assert f(x).sum() == 0"},
    ],
)
def test_every_kind_of_test_can_be_drawn_anew(grade_one: GradeOne, test: dict[str, object]) -> None:
    """`seeds` counts for output, properties and bodies too, and the draw is named."""
    given = {"given": "x = np.zeros(10) if size == 2 else np.ones(size)", "seeds": 3}
    result = grade_one(
        "def f(x): return x if x.sum() else np.ones(4)/4\nimport numpy as np", {**given, **test}
    )
    assert "of 3.)" in result.message


def test_what_a_submission_gave_is_kept_for_whoever_explains_it(
    make: Make, sandbox: Sandbox
) -> None:
    """The deciding draw's value, expected value and inputs; a `Raised` where it raised."""
    exercise = make({**SEEDED, "seeds": 4, "expect": "solution"}, {"run": "print(f(1))"})
    source = (
        b"import numpy as np\n"
        b"def f(x):\n"
        b"    if np.ndim(x) == 0: raise ValueError('no')\n"
        b"    return 2 * x if len(x) < 6 else x"
    )
    submission = Submission.from_bytes(Path("f.py"), source)
    with SubmissionRun(Oracle(exercise, sandbox), submission) as run:
        run.load()
        for test in exercise.tests:
            run.grade_test(test)
        first, second = (run.observed[test.id] for test in exercise.tests)
    assert first.draw == 2
    assert np.array_equal(first.got * 2, first.expected)
    assert np.array_equal(first.inputs["x"], first.got)
    assert second.got.type == "ValueError"
    assert second.expected == "2.0\n"


@pytest.mark.parametrize(
    ("policy", "row", "outcome"),
    [
        ("equal", "[np.nan, 1.0]", "passed"),
        ("equal", "[0.0, 1.0]", "failed"),
        ("ignored", "[0.0, 1.0]", "passed"),
        ("ignored", "[0.0, 2.0]", "failed"),
        ("ignored", "[np.nan, np.nan]", "failed"),
    ],
)
def test_nan_has_a_policy(grade_one: GradeOne, policy: str, row: str, outcome: str) -> None:
    """By default NaN belongs where it is expected; ignored, anything may stand there."""
    test = {"call": "f(1)", "expect": {"expression": "np.array([np.nan, 1.0])"}, "nan": policy}
    source = f"import numpy as np\ndef f(x): return np.array({row})"
    assert grade_one(source, test).outcome == outcome


@pytest.mark.parametrize("module", ["inputs", "oracle"])
def test_too_little_memory_is_the_error_of_the_test(
    make: Make, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """Whether its inputs or its expected values need too much: no fault, which is tried again."""

    def no_room(_: object) -> None:
        raise MemoryError("no room for 381 MiB")

    monkeypatch.setattr(f"grader.grading.expected.{module}.freeze_arrays", no_room)
    exercise = make({"given": "x = 1.0", "call": "f(x)", "expect": {"expression": "2.0"}})

    with pytest.raises(DefinitionError, match=r":\d+: test 'test-0': .*no room for 381 MiB"):
        Oracle(exercise).draws(exercise.tests[0])
