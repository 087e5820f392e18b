"""Programs that are wrong on purpose: each is wrong in the way its name says."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grader.authoring.verify.wrong_programs import make_conditional_mistakes, sabotage_programs
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise

TWO = """\
id: two
title: Two
difficulty: beginner
xp: 1
instructions: Write `scores(Q, K)` and `half(x)`.
defines: {scores: {}, half: {}}
starter: ""
tests:
  - {id: one, given: {x: 1.0}, call: half(x), expect: 0.5}
solution: |
  import numpy as np


  def half(x):
      return x / 2


  def scores(Q, K):
      return half(Q @ K.T), {"count": len(Q)}
explanation: None.
"""
COUNTER = """\
id: counter
title: Count
difficulty: beginner
xp: 1
instructions: Write `Counter`.
defines: {Counter: {kind: class}}
starter: ""
tests:
  - {id: one, call: Counter(1.0).add(2.0), expect: 3.0}
solution: |
  class Counter:
      def __init__(self, start):
          self.total = start

      def add(self, amount):
          self.total += amount
          return self.total
explanation: None.
"""
CHOICE = """\
id: choice
title: Choose
kind: predict
difficulty: beginner
xp: 1
instructions: Which axis?
defines: {axis: {kind: value, choices: [rows, columns]}, size: {kind: value}}
starter: ""
tests:
  - {id: one, hidden: true, call: axis, expect: rows}
  - {id: two, hidden: true, call: size, expect: 3}
solution: |
  axis = "rows"
  size = 3
explanation: None.
"""
Q, K = np.arange(6.0).reshape(2, 3), np.ones((4, 3))
RIGHT = Q @ K.T / 2


def load(folder: Path, text: str) -> Exercise:
    path = folder / "exercise.yaml"
    path.write_text(text)
    return load_exercise_file(path)


def program(exercise: Exercise, name: str) -> SimpleNamespace:
    """Run one of the wrong programs; it is made of the solution, so it is ours."""
    (source,) = [w.source for w in sabotage_programs(exercise, exercise.solution) if w.id == name]
    namespace: dict[str, Any] = {}
    exec(source, namespace)  # noqa: S102  the solution above
    return SimpleNamespace(**{n: namespace[n] for n in exercise.defines if n in namespace})


@pytest.fixture
def two(tmp_path: Path) -> Exercise:
    return load(tmp_path, TWO)


@pytest.mark.parametrize(("name", "number"), [("sevens", 7), ("zeros", 0)])
def test_a_constant_keeps_form_shape_and_dtype(two: Exercise, name: str, number: int) -> None:
    """Arrays in tuples and dicts too."""
    array, counts = program(two, name).scores(Q, K)
    np.testing.assert_array_equal(array, np.full((2, 4), number, dtype=float), strict=True)
    assert counts == {"count": number}


@pytest.mark.parametrize(
    ("name", "array", "counts", "number"),
    [
        ("nan", np.full((2, 4), np.nan), {"count": np.nan}, np.nan),
        ("single", np.ones((1, 1)), {"count": 1}, 1.0),
        ("empty", np.ones((0, 4)), {}, np.ones(0)),
        ("empty batch", np.ones((0, 2, 4)), {}, np.ones(0)),
    ],
)
def test_what_a_comparison_without_a_shape_accepts(
    two: Exercise, name: str, array: object, counts: object, number: object
) -> None:
    """Results that broadcast with any others, or of which any condition is true."""
    wrong = program(two, name)
    found = wrong.scores(Q, K)
    np.testing.assert_array_equal(found[0], array, strict=True)
    np.testing.assert_equal(found[1], counts)
    np.testing.assert_array_equal(wrong.half(1.0), number)


def test_an_empty_result_has_nothing_to_loop_over(two: Exercise) -> None:
    """A list and a dict have no item; a tuple keeps its length, to be unpacked."""
    for returned, empty in (("[x, x]", []), ("{'a': x}", {}), ("([x], 'text')", ([], ""))):
        exercise = load(two.where.path.parent, TWO.replace("return x / 2", f"return {returned}"))
        assert program(exercise, "empty").half(1.0) == empty
        assert program(exercise, "empty batch").half(1.0) == empty


def test_a_constant_leaves_its_arguments_alone(two: Exercise) -> None:
    """What the right program would do to them is part of the right answer."""
    exercise = load(two.where.path.parent, TWO.replace("return x / 2", "x /= 2\n      return x"))
    x = np.ones(3)
    program(exercise, "sevens").half(x)
    np.testing.assert_array_equal(x, 1.0)


def test_a_constant_prints_nothing(two: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    """What the right program prints would be a right answer."""
    text = TWO.replace("return x / 2", "print(x)\n      return x / 2")
    exercise = load(two.where.path.parent, text)
    for name in ("sevens", "zeros", "nothing"):
        program(exercise, name).half(np.ones(3))
    assert capsys.readouterr().out == ""
    program(exercise, "near").half(np.ones(3))
    assert capsys.readouterr().out == "[1. 1. 1.]\n"


def test_a_constant_needs_no_right_program(two: Exercise) -> None:
    """Where the solution raises, there are still sevens, in the shape of the first argument."""
    exercise = load(two.where.path.parent, TWO.replace("x / 2", "no_such_name"))
    np.testing.assert_array_equal(
        program(exercise, "sevens").half(np.ones((2, 3))), np.full((2, 3), 7.0)
    )


def test_nothing_and_the_first_argument(two: Exercise) -> None:
    """The least that a function can do."""
    assert program(two, "nothing").scores(Q, K) is None
    assert program(two, "argument").scores(Q, K) is Q


def test_transposed_and_near_start_from_the_right_answer(two: Exercise) -> None:
    """Only the arrays' order of axes, only a thousandth."""
    np.testing.assert_array_equal(program(two, "transposed").scores(Q, K)[0], RIGHT.T)
    np.testing.assert_allclose(program(two, "near").scores(Q, K)[0], RIGHT * 1.001, rtol=1e-12)


def test_stale_gives_the_first_answer_always(two: Exercise) -> None:
    """Even if its caller has written into it since."""
    stale = program(two, "stale")
    stale.half(np.array([2.0]))[0] = 99.0
    np.testing.assert_array_equal(stale.half(np.array([4.0])), [1.0])


def test_raising_raises(two: Exercise) -> None:
    """The function raises for any arguments."""
    with pytest.raises(Exception, match="wrong on purpose"):
        program(two, "raises").half(2.0)


def test_one_name_can_be_wrong_alone(two: Exercise) -> None:
    """The other functions stay right, though they call the wrong one."""
    only = program(two, "raises in half")
    np.testing.assert_array_equal(only.scores(Q, K)[0], RIGHT)
    with pytest.raises(Exception, match="wrong on purpose"):
        only.half(2.0)


def test_a_class_is_wrong_in_its_methods(tmp_path: Path) -> None:
    """It can be made as before, unless it raises."""
    exercise = load(tmp_path, COUNTER)
    assert program(exercise, "sevens").Counter(1.0).add(2.0) == 7.0
    assert program(exercise, "nothing").Counter(1.0).add(2.0) is None
    assert program(exercise, "argument").Counter(1.0).add(2.0) == 2.0
    with pytest.raises(Exception, match="wrong on purpose"):
        program(exercise, "raises").Counter(1.0)


def test_what_is_predicted_is_answered_with_other_literals(tmp_path: Path) -> None:
    """Every other choice, and nothing that would have to run."""
    exercise = load(tmp_path, CHOICE)
    found = {w.id: w.source for w in sabotage_programs(exercise, exercise.solution)}
    assert found["axis: columns"] == "axis = 'columns'\nsize = 3\n"
    assert found["sevens"] == "axis = 7\nsize = 7\n"
    assert "axis: rows" not in found
    assert "transposed" not in found


CUBE = np.full((2, 3, 4), 0.5)
ARGUMENTS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "float32": ((CUBE.astype(np.float32),), (CUBE,)),
    "float16": ((CUBE.astype(np.float16),), (CUBE,)),
    "integers": ((CUBE.astype(int),), (CUBE,)),
    "no axis": ((np.array(0.5),), (CUBE,)),
    "one axis": ((CUBE[0, 0],), (CUBE,)),
    "two axes": ((CUBE[0],), (CUBE,)),
    "three axes": ((CUBE,), (CUBE[0],)),
    "four axes": ((CUBE[None],), (CUBE,)),
    "first axis of length 1": ((CUBE[:1],), (CUBE,)),
    "last axis of length 1": ((CUBE[..., :1],), (CUBE,)),
    "an axis of length 0": ((CUBE[:0],), (CUBE,)),
    "axes of one length": ((CUBE[..., :3],), (CUBE,)),
    "axes of different lengths": ((CUBE,), (np.ones((3, 3)),)),
    "minus infinity": ((np.array([0.5, -np.inf]),), (np.array([0.5, np.inf]),)),
    "numbers above 800": ((CUBE * 2000,), (CUBE,)),
    "Fortran order": ((np.asfortranarray(CUBE),), (CUBE,)),
    "neither C nor Fortran order": ((CUBE[:, ::2],), (CUBE,)),
    "arguments left out": ((CUBE,), (CUBE, 2)),
    "no argument left out": ((CUBE, 2), (CUBE,)),
    "an exact 0": ((CUBE * 0,), (CUBE,)),
    "float32 widened to float64": ((CUBE.astype(np.float32),), (CUBE,)),
    "float16 widened to float64": ((CUBE.astype(np.float16),), (CUBE,)),
    "integers turned into floats": ((CUBE.astype(int),), (CUBE,)),
    "inputs changed in place": ((CUBE.copy(),), ()),
}
"""For each condition, arguments that meet it, and others that do not."""


def answer(source: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    space: dict[str, Any] = {}
    exec(source, space)  # noqa: S102  a program of ours, made from the one below
    result = space["half"](*arguments)
    arrays = [np.asarray(each) for each in (*result, *arguments)]
    return tuple((each.shape, each.dtype, each.tolist()) for each in arrays)


@pytest.mark.parametrize("condition", ARGUMENTS)
def test_a_program_is_wrong_under_its_condition_alone(two: Exercise, condition: str) -> None:
    """Arguments that meet the condition show the mistake, and others do not."""
    right = "def half(x, times=2):\n    return x * times, x.sum()\n"
    sources = {w.id: w.source for w in make_conditional_mistakes(two, right)}
    assert sources.keys() == ARGUMENTS.keys()
    met, other = ARGUMENTS[condition]
    expected = answer(right, met)
    assert answer(sources[condition], met) != expected
    if other:
        assert answer(sources[condition], other) == answer(right, other)
