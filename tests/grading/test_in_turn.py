"""Programs that run one after another in one child, and give what they would give alone."""

import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from grader.definitions.exercise import Exercise, Misconception
from grader.grading.diagnosis.known_mistakes import Diagnostician, Mistake
from grader.grading.diagnosis.shared_child import InTurn
from grader.grading.expected.oracle import Oracle
from grader.sandbox.answers import Cause, ChildGoneError, Raised, Returned
from grader.sandbox.interface import Child
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox

if TYPE_CHECKING:
    from tests.grading.conftest import Make

QUICK = Limits(cpu_seconds=1, wall_seconds=20.0)
HALF = "import numpy as np\n\n\ndef f(x):\n    return np.sqrt(x)\n"


class Counting:
    """Counts the children that are asked for."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.children = 0

    def child(self, limits: Limits) -> Child:
        """Return a new child."""
        self.children += 1
        return self._sandbox.child(limits)


@pytest.fixture
def counting(sandbox: Sandbox) -> Counting:
    return Counting(sandbox)


@pytest.fixture
def in_turn(counting: Counting) -> Iterator[InTurn]:
    with InTurn(counting) as in_turn:
        yield in_turn


def test_the_next_program_meets_nothing_of_the_one_before(
    in_turn: InTurn, counting: Counting
) -> None:
    """Neither its names nor its objects nor what it printed."""
    with in_turn.child(QUICK) as child:
        child.load("class A:\n    x = 1\n\n\nprint('first')\ng = 1\n", ["A"])
        handle = child.call("A", [], {})
        assert child.printed
    assert isinstance(handle, Returned)
    with in_turn.child(QUICK) as child:
        assert not child.printed
        loaded = child.load("print('second')\n\n\ndef f():\n    return g\n", ["f", "A", "g"])
        assert isinstance(loaded, Returned)
        assert loaded.value["defined"].keys() == {"f"}
        assert child.output(0, child.printed) == "second\n"
        raised = child.call("f", [], {})
        assert isinstance(raised, Raised)
        assert raised.type == "NameError"
        assert isinstance(child.attribute(handle.value, "x"), Raised)
    assert counting.children == 1


def test_each_program_has_its_time(
    in_turn: InTurn, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wall clock begins anew."""
    ahead = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    monkeypatch.setattr("grader.sandbox.child.time", clock)
    for _ in range(3):
        with in_turn.child(replace(QUICK, wall_seconds=60.0)) as child:
            child.load("x = 1\n", ["x"])
            ahead += 40.0
            assert isinstance(child.value("x"), Returned)
    assert counting.children == 1


def test_one_that_ended_the_child_is_followed_by_a_new_one(
    in_turn: InTurn, counting: Counting
) -> None:
    """And it is told that the child was spent."""
    with in_turn.child(QUICK) as child, pytest.raises(ChildGoneError) as caught:
        child.load("while True: pass\n", [])
    assert caught.value.cause is Cause.CPU_TIME
    spent = [in_turn.is_spent]
    with in_turn.child(QUICK) as child:
        assert isinstance(child.load("x = 1\n", ["x"]), Returned)
    spent.append(in_turn.is_spent)
    assert spent == [True, False]
    assert counting.children == 2


def test_other_limits_take_another_child(in_turn: InTurn, counting: Counting) -> None:
    """A child keeps those that it was locked in with."""
    for limits in (QUICK, Limits(), Limits()):
        with in_turn.child(limits) as child:
            assert child.limits == limits
            child.load("x = 1\n", ["x"])
    assert counting.children == 2


def with_programs(exercise: Exercise, *sources: str) -> Exercise:
    """Give an exercise misconceptions that make these mistakes."""
    mistakes = (
        Misconception(exercise.where, f"mistake-{number}", source, "Look again.")
        for number, source in enumerate(sources)
    )
    return replace(exercise, misconceptions=tuple(mistakes))


def mistakes(exercise: Exercise, sandbox: Counting) -> tuple[Mistake, ...]:
    """Run all programs."""
    return Diagnostician(Oracle(exercise), sandbox).mistakes()


@pytest.fixture
def doubled(make: "Make") -> Exercise:
    test = {"given": {"x": [4.0, 9.0]}, "call": "f(x)", "expect": [8.0, 18.0]}
    return make(test, limits={"cpu_seconds": 1})


def values(mistake: Mistake) -> list[float]:
    """Return what a program gave in the only test."""
    (sketch,) = mistake.sketches
    return list(map(float, sketch.numbers))


def test_harmless_programs_share_a_child(doubled: Exercise, counting: Counting) -> None:
    """To fork one for each takes longer than to run them."""
    exercise = with_programs(doubled, HALF, HALF.replace("sqrt", "square"), HALF)
    assert [values(each) for each in mistakes(exercise, counting)] == [[2, 3], [16, 81], [2, 3]]
    assert counting.children == 1


@pytest.mark.parametrize(
    "meddling",
    [
        "np.sqrt = np.square",
        "np.seterr(all='raise')",
        "np.sqrt.__class__",
        "import builtins\nbuiltins.len = None",
    ],
)
def test_a_program_that_meddles_changes_no_other(
    doubled: Exercise, counting: Counting, meddling: str
) -> None:
    """It has a child of its own, whatever comes before and after it."""
    meddles = HALF.replace("\n\n\n", f"\n{meddling}\n\n\n")
    exercise = with_programs(doubled, HALF, meddles, HALF)
    first, *_, last = mistakes(exercise, counting)
    assert values(first) == values(last) == [2, 3]
    assert counting.children == 2


IN_MEMORY = "return np.full(40, 7.25)", "return np.pad(np.zeros(0), (0, 40), mode='empty')"
ON_A_FUNCTION = (
    "class A:\n        def set(self):\n            self.kept = 7.25\n    A.set(np.sum)\n    return x",
    "class A:\n        def set(self):\n            self.kept = 0\n    f = np.sum\n    return f.kept",
)


@pytest.mark.parametrize(("leaves", "finds"), [IN_MEMORY, ON_A_FUNCTION])
def test_what_a_program_left_is_found_by_no_other(
    doubled: Exercise, counting: Counting, leaves: str, finds: str
) -> None:
    """Be it in memory that is used again, or in what both import."""
    bodies = (f"import numpy as np\n\n\ndef f(x):\n    {body}\n" for body in (leaves, finds))
    *_, last = mistakes(with_programs(doubled, *bodies), counting)
    assert 7.25 not in values(last)


BUSY = """\
import time


def f(x):
    begin = time.thread_time()
    while time.thread_time() - begin < 0.25:
        pass
    return x
"""


def test_a_limit_that_was_met_together_is_met_alone_or_not_at_all(
    doubled: Exercise, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together they compute for longer than each of them may."""
    # They read a clock, so that they take the same on every machine.
    monkeypatch.setattr("grader.grading.diagnosis.side_effects.leaves_no_trace", lambda _: True)
    endless = "def f(x):\n    while True:\n        x = x + 0\n"
    exercise = with_programs(doubled, HALF, endless, HALF, *[BUSY] * 6, HALF)
    first, ended, *rest = mistakes(exercise, counting)
    assert ended.sketches[0].outcome == "timed out"
    assert values(first) == values(rest[0]) == values(rest[-1]) == [2, 3]
    assert [values(each) for each in rest[1:-1]] == [[4, 9]] * 6
    assert counting.children > 3


def test_a_program_that_does_not_load_is_no_mistake_and_spoils_none(
    doubled: Exercise, counting: Counting
) -> None:
    """The others are asked as if it were not there."""
    exercise = with_programs(doubled, HALF, "x = 1 / 0\n", "def f(:\n", HALF)
    found = mistakes(exercise, counting)
    assert [each.id for each in found] == ["mistake-0", "mistake-3"]
    assert [values(each) for each in found] == [[2, 3]] * 2


def test_together_and_alone_come_to_the_same(
    doubled: Exercise, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With errors, other forms and output among what they do."""
    sources = [
        HALF,
        "def f(x):\n    raise ValueError('no')\n",
        "def f(x):\n    print('hm')\n    return x[0]\n",
        "import numpy as np\n\n\ndef f(x):\n    return np.array(x) / 0 * np.random.default_rng(1).random(2)\n",
    ]
    exercise = with_programs(doubled, *sources)
    together = mistakes(exercise, counting)
    assert counting.children == 1
    monkeypatch.setattr("grader.grading.diagnosis.side_effects.leaves_no_trace", lambda _: False)
    alone = mistakes(exercise, counting)
    assert counting.children == 1 + len(sources)
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one.sketches[0].numbers, other.sketches[0].numbers)
        assert repr(one) == repr(other)
