"""Fresh inputs for every evaluation, whatever an author's code does to them."""

from pathlib import Path

import numpy as np
import pytest

from grader.definitions.exercise import Exercise
from grader.grading.expected.inputs import draw_inputs
from grader.grading.expected.oracle import Oracle
from grader.grading.jobs import Job
from grader.grading.program.value_copies import NotCopyableError, copy_containers, freeze_arrays
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Fields, GradeOne, Make

RIGHT = "def f(x):\n    return 2.0 * x\n"
WRONG = "def f(x):\n    return 0.0 * x\n"

# Each is passed by a right program alone, and by every later program if the first one's inputs
# are those of all.
KEEPING: dict[str, Fields] = {
    "a list": {"given": "seen = []", "call": "(seen.append(f(3.0)) or seen)[0]"},
    "a list in a list": {"given": "seen = [[]]", "call": "(seen[0].append(f(3.0)) or seen)[0][0]"},
    "a list in a tuple": {"given": "seen = ([],)", "call": "(seen[0].append(f(3.0)) or seen)[0][0]"},
    "a dict": {"given": "seen = {}", "call": "seen.setdefault('first', f(3.0))"},
    "a written dict": {"given": {"seen": {}}, "call": "seen.setdefault('first', f(3.0))"},
    "a set": {"given": "left = {3.0}", "call": "f(left.pop())"},
    "an iterator": {"given": "numbers = iter([3.0, 4.0])", "call": "f(next(numbers))"},
    "a generator": {"given": "numbers = (n for n in [3.0, 4.0])", "call": "f(next(numbers))"},
    "random numbers": {
        "given": "stream = np.random.default_rng(1)",
        "call": "f(stream.normal()) / np.random.default_rng(1).normal() * 3",
    },
    "an array of objects": {
        "given": "seen = np.array([[], None], dtype=object)",
        "call": "(seen[0].append(f(3.0)) or seen)[0][0]",
    },
    "a function and what it knows": {
        "given": "seen = []\ndef first(v):\n    seen.append(v)\n    return seen[0]",
        "call": "first(f(3.0))",
    },
    "a closure": {
        "given": "def made():\n    seen = []\n    return lambda v: seen.append(v) or seen[0]\n"
        "first = made()",
        "call": "first(f(3.0))",
    },
    "a default argument": {
        "given": "def first(v, seen=[]):\n    seen.append(v)\n    return seen[0]",
        "call": "first(f(3.0))",
    },
    "a class": {
        "given": "class Kept:\n    seen = []",
        "call": "(Kept.seen.append(f(3.0)) or Kept.seen)[0]",
    },
    "an object": {
        "given": "import types\nkept = types.SimpleNamespace()",
        "call": "vars(kept).setdefault('first', f(3.0))",
    },
    "a pytest body": {
        "given": "seen = []",
        "pytest": "if not seen:\n    seen.append(f(3.0))\nassert seen[0] == 6.0",
    },
    "a property": {
        "given": "seen = []\nx = np.ones(3)",
        "holds": "rows_sum_to_one",
        "call": "(seen.append(f(x) / 6) or seen)[0]",
    },
}  # fmt: skip


def grade_programs(exercise: Exercise, sandbox: Sandbox, *sources: str) -> list[Verdict]:
    """Grade sources one after another, as one worker does."""
    engine = Engine(sandbox)
    submissions = [Submission.from_bytes(Path("f.py"), each.encode()) for each in sources]
    return [engine.grade(Job(exercise, each)) for each in submissions]


@pytest.mark.parametrize("name", KEEPING)
def test_no_submission_changes_the_result_of_another(
    name: str, make: Make, sandbox: Sandbox
) -> None:
    """A wrong program fails after a right one, a right one passes after a wrong one."""
    test = KEEPING[name]
    expects = (
        {"expect": {"expression": "6.0"}} if "pytest" not in test and "holds" not in test else {}
    )
    test = {**test, **expects}
    for order in ((RIGHT, WRONG, RIGHT), (WRONG, RIGHT, WRONG)):
        exercise = make(test, title=order[0], solution=RIGHT)
        outcomes = [verdict.outcome for verdict in grade_programs(exercise, sandbox, *order)]
        expected = [Outcome.PASSED if each == RIGHT else Outcome.FAILED for each in order]
        assert outcomes == expected


@pytest.mark.parametrize(
    "expect",
    ["solution", "reference", {"expression": "reference.softmax.softmax(parts.pop())"}],
    ids=["solution", "reference", "expression"],
)
def test_what_is_expected_is_computed_with_inputs_of_its_own(
    expect: object, grade_one: GradeOne
) -> None:
    """A call that takes an item out of a list finds it there with the submission as well."""
    source = "import numpy as np\ndef f(x):\n    e = np.exp(x)\n    return e / e.sum()\n"
    test = {"given": "parts = [np.arange(3.0)]", "call": "f(parts.pop())", "expect": expect}
    defines = {"f": {"reference": "reference.softmax:softmax"}}
    assert grade_one(source, test, defines=defines, solution=source).message == ""


def test_both_runs_of_a_measured_call_have_their_inputs(grade_one: GradeOne) -> None:
    """The reference is called twice to be measured, and the list is whole each time."""
    source = "import numpy as np\ndef f(x):\n    e = np.exp(x)\n    return e / e.sum()\n"
    test = {
        "given": "parts = [np.arange(3.0)]",
        "call": "f(parts.pop())",
        "expect": "reference",
        "budget": {"memory": 100},
    }
    defines = {"f": {"reference": "reference.softmax:softmax"}}
    assert grade_one(source, test, defines=defines).outcome is Outcome.PASSED


def test_each_call_of_a_property_has_its_inputs(grade_one: GradeOne) -> None:
    """The second call finds the list as the first one did, and an array that came in its place."""
    test = {
        "given": "parts = [1.0]\nx = rng.standard_normal(4)",
        "holds": "permutation_equivariant",
        "axis": 0,
        "call": "f(x) + parts.pop()",
    }
    assert grade_one(RIGHT, test).message == ""


def test_a_body_may_write_to_its_arrays(make: Make, sandbox: Sandbox) -> None:
    """They are its own: the next submission gets them as they were given."""
    body = "assert x[0] == 2.0\nx.sort()\nassert f(x)[0] == 2.0"
    exercise = make({"given": "x = np.array([2.0, 1.0])", "pytest": body})
    for verdict in grade_programs(exercise, sandbox, RIGHT, RIGHT + "\n"):
        assert verdict.tests[0].outcome is Outcome.PASSED, verdict.tests[0].message


def test_a_value_of_the_submission_is_the_same_in_every_test(make: Make, sandbox: Sandbox) -> None:
    """Though the test before took the last item of it."""
    test = {"call": "answers.pop()", "expect": 2}
    exercise = make(test, {**test}, defines={"answers": {"kind": "value"}})
    (verdict,) = grade_programs(exercise, sandbox, "answers = [1, 2]\n")
    assert [each.outcome for each in verdict.tests] == [Outcome.PASSED] * 2


def test_settings_of_numpy_end_with_the_code_that_made_them(make: Make, sandbox: Sandbox) -> None:
    """How arrays are printed and which errors are raised, in `given` as in a body."""
    before = np.get_printoptions(), np.geterr()
    change = "np.set_printoptions(precision=2)\nnp.seterr(all='raise')\n"
    exercise = make({"given": f"{change}x = 3.0", "pytest": f"{change}assert f(x) == 6.0"})
    grade_programs(exercise, sandbox, RIGHT)
    assert (np.get_printoptions(), np.geterr()) == before


def test_copies_share_arrays_alone() -> None:
    """Containers are copied all the way down."""
    value = freeze_arrays({"a": [np.arange(3.0), ([1], {2})], (1, "b"): (np.float32, None, 1j)})
    copy = copy_containers(value)
    assert copy["a"][0] is value["a"][0]
    assert repr(copy) == repr(value)
    copy["a"][1][0].append(3)
    copy["a"][1][1].add(3)
    assert repr(value["a"][1]) == "([1], {2})"


@pytest.mark.parametrize(
    "value",
    [iter([1]), len, lambda: 1, object(), type("A", (), {}), np.array([[]], dtype=object),
     np.ma.array([1.0]), np.zeros(1, [("a", object)])[0]],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_cannot_be_copied_is_refused(value: object) -> None:
    """In a container, too; such inputs are drawn again."""
    for whole in (value, [value], {"a": (value,)}):
        with pytest.raises(NotCopyableError):
            copy_containers(whole)


def test_plain_inputs_are_drawn_once(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To copy them takes less time; a function is made again for each evaluation."""
    drawn: list[str] = []

    def counted(*arguments: object) -> object:
        drawn.append(arguments[1].id)  # type: ignore[attr-defined]  # a test
        return draw_inputs(*arguments)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr("grader.grading.expected.oracle.draw_inputs", counted)
    exercise = make(
        {"given": "x = [3.0]\ny = np.ones(3)", "call": "f(x[0])", "expect": 6.0},
        {"given": "def g():\n    return 3.0", "call": "f(g())", "expect": 6.0},
    )
    oracle = Oracle(exercise, sandbox)
    oracle.prepare()
    for test in exercise.tests * 2:
        oracle.inputs(test, oracle.draws(test)[0])
    assert drawn == ["test-0", "test-1", "test-1", "test-1", "test-1"]
