"""Figures in a lesson: what an author may set, and what is reported of mistakes."""

import pytest

from grader.lessons.figure import Figure
from grader.lessons.recorded_output import record
from tests.lessons.conftest import Refuse, Run

EXPLORER = """\
Before it.

```figure explorer
sentence: the spring dried up
ask: dried
mask: on
```

After it.
"""


def test_a_figure_has_the_values_that_its_author_set(run: Run) -> None:
    """The others have defaults, the title too."""
    _, figure, _ = run(EXPLORER).blocks

    assert isinstance(figure, Figure)
    assert (figure.where.line, figure.kind, figure.get("ask")) == (3, "explorer", "dried")
    assert figure.is_on("mask", default=False)
    assert figure.is_on("scale", default=True)
    assert figure.title == "Attention explorer"


@pytest.mark.parametrize(
    ("line", "number", "message"),
    [
        ("```figure exploror", 3, "expected one of explorer"),
        ("sentence", 4, "expected 'key: value', found 'sentence'"),
        ("sentence: alone", 4, "sentence: a sentence has 2 to 10 words"),
        ("asks: dried", 5, "no key 'asks'; did you mean 'ask'?"),
        ("ask: summer", 5, "ask: 'summer' is not in the sentence"),
        ("mask: yes", 6, "mask: expected one of on, off, found 'yes'"),
        ("ask: up", 6, "'ask' is set twice"),
        ("temperature: 9", 6, "temperature: expected a number from 0.25 to 4"),
        ("controls: mask, colour", 6, "controls: expected one of mask, scale"),
        ("try: a b | c", 6, "try: a sentence has 2 to 10 words"),
    ],
)
def test_a_mistake_in_a_figure_has_its_line(
    refuse: Refuse, line: str, number: int, message: str
) -> None:
    """Unknown kinds and keys, and values that do not go together."""
    lines = EXPLORER.splitlines()
    lines[number - 1] = line
    (place, said), *_ = refuse("\n".join(lines))
    assert (place, message in said) == (number, True), said


@pytest.mark.parametrize(
    ("scores", "message"),
    [("2", "expected a name and a score"), ("clock 2, garden 9", "a number from -6 to 6")],
)
def test_a_score_has_a_name_and_a_number(refuse: Refuse, scores: str, message: str) -> None:
    """In each part of the list."""
    ((_, said),) = refuse(f"```figure shares\nscores: {scores}\n```\n")
    assert message in said


CURVE = """\
```python
import numpy as np
x = np.linspace(0, 1, 5)
```

```figure curve
alt: Two lines through the origin
each: a = 1, 2
x: x
y: a * x; x
```
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("alt: Two lines through the origin\n", "", 6, "the figure 'curve' needs the key 'alt'"),
        ("a = 1, 2", "a = 1", 8, "each: expected a name and 2 to 6 values"),
        ("a = 1, 2", "a = 1, (", 8, "each: '(' is not an expression of Python"),
        ("x: x", "x: x; x", 9, "x: at most 1 expression can stand here"),
        ("a * x; x", "a *", 10, "y: 'a *' is not an expression of Python"),
        ("a * x; x", "b * x", 6, "the cell raises NameError: name 'b' is not defined"),
        ("a * x; x", "x[a:]", 6, "x[a:] has shape (4,); x and y have one axis, as long for a = 1"),
        ("a * x; x", "'a'", 6, "'a' is not an array of numbers for a = 1"),
        ("a * x; x", "x / (a - 1)", 6, "x / (a - 1) has a nan or an infinity for a = 1"),
        ("curve", "image", 6, "the figure 'image' needs the key 'values'"),
    ],
)
def test_a_mistake_in_a_drawn_figure_has_its_line(
    refuse: Refuse, old: str, new: str, line: int, message: str
) -> None:
    """Wrong declarations when it is read, wrong arrays when it is run."""
    (place, said), *_ = refuse(CURVE.replace(old, new, 1))
    assert (place, message in said) == (line, True), said


def test_the_arrays_of_a_figure_are_computed_for_each_choice(run: Run) -> None:
    """After the cells above; the record has their ranges."""
    lesson = run(CURVE)

    figure = lesson.blocks[-1]
    assert isinstance(figure, Figure)
    assert [[each.max() for each in frame] for frame in figure.frames] == [[1, 1, 1], [1, 2, 1]]
    assert "a * x = (5,), 0 to 2, mean 1\n" in record(lesson)


def test_a_key_without_which_there_is_no_figure(refuse: Refuse) -> None:
    """The problem is reported at the fence."""
    ((place, message),) = refuse("One.\n\n```figure explorer\nmask: on\n```\n")
    assert (place, message) == (3, "the figure 'explorer' needs the key 'sentence'")
