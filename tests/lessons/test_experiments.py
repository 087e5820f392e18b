"""A *try this* in a lesson: what is read, what is computed, and what is reported of mistakes."""

import pytest

from grader.lessons.blocks import Experiment, Prose
from tests.lessons.conftest import Refuse, Run

LESSON = """\
```python
x = 1
```

```python
y = x + 1
```

```python hidden
y = 0
```

```try
Add more.
find: x + 1
put: x + 10
right: more
wrong: less
why: It is `= y`.
```

Still `= y`.
"""


def test_the_changed_cell_is_run_apart(run: Run) -> None:
    """The last visible cell is meant; what follows in the lesson knows nothing of the change."""
    *_, experiment, prose = run(LESSON).blocks

    assert isinstance(experiment, Experiment)
    assert isinstance(prose, Prose)
    assert (experiment.cell, str(experiment.why)) == (1, "It is 11.")
    assert experiment.guesses == (("more", True), ("less", False))
    assert prose.text.computed == (("y", "0"),)


def test_a_cell_further_above_is_changed_if_it_alone_has_the_text(run: Run) -> None:
    """The nearest one with the text is meant, and the cells below it are not run."""
    text = LESSON.replace("find: x + 1", "find: x = 1").replace("x + 10", "x = 10; y = x")
    *_, experiment, _ = run(text).blocks

    assert isinstance(experiment, Experiment)
    assert (experiment.cell, str(experiment.why)) == (0, "It is 10.")


@pytest.mark.parametrize(
    ("lesson", "line", "said"),
    [
        (
            LESSON.replace("find: x + 1", "find: z"),
            14,
            "'z' is in no cell above whose code is shown",
        ),
        (
            LESSON.replace("y = x + 1", "y = x + 1 + x + 1"),
            14,
            "occurs 2 times in the cell at line",
        ),
        (LESSON.replace("put: x + 10", "put: x / 0"), 6, "ZeroDivisionError"),
        (LESSON.replace("put: x + 10", "put: x + 1"), 16, "this changes nothing"),
        (LESSON.replace("wrong: less", "wrong: more"), 18, "two guesses are the same"),
        (LESSON.replace("wrong: less\n", ""), 13, "expected 2 to 4 guesses, found 1"),
        (LESSON.replace("right: more", "wrong: more"), 13, "expected one `right:`, found none"),
        (LESSON.replace("why:", "because:"), 19, "expected one of find, put, right, wrong, why"),
        (LESSON.replace("```try", "```try it"), 13, "expected nothing after 'try'"),
        (LESSON.replace("```python\n", "```python hidden\n"), 14, "in no cell above whose code"),
    ],
)
def test_a_mistake_in_a_try_is_reported_with_its_line(
    refuse: Refuse, lesson: str, line: int, said: str
) -> None:
    """Also when the changed cell raises: in the line of the cell."""
    ((place, message),) = refuse(lesson)
    assert (place, said in message) == (line, True), message
