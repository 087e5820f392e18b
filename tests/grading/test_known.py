"""What is known stays within a budget of bytes, and bytes are counted honestly."""

import contextlib
import functools
import statistics
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from grader.grading.comparison.memory_size import bytes_held
from grader.grading.session.known import Known


def used(known: Known[list[int]], key: str, weight: int = 0) -> int:
    """Use an entry, and return what it weighed before."""
    with known.use(key, lambda: [0]) as value:
        before = value[0]
        value[0] = weight or before
    return before


def test_what_was_used_longest_ago_goes_first() -> None:
    """An entry that grows pushes others out; to use one again keeps it."""
    known = Known[list[int]](10, lambda value: value[0])
    used(known, "a", 4)
    used(known, "b", 4)
    used(known, "a")
    used(known, "c", 3)
    assert [key in known for key in "abc"] == [True, False, True]
    used(known, "a", 9)
    assert [key in known for key in "abc"] == [True, False, False]


def test_the_entry_in_use_is_kept_whatever_it_holds() -> None:
    """It goes with the next one."""
    known = Known[list[int]](10, lambda value: value[0])
    used(known, "huge", 99)
    assert used(known, "huge") == 99
    used(known, "small", 1)
    assert "huge" not in known
    assert "small" in known


def test_an_entry_is_weighed_also_when_its_use_fails() -> None:
    """What an error left behind counts like anything else."""
    known = Known[list[int]](10, lambda value: value[0])
    with contextlib.suppress(ZeroDivisionError), known.use("broken", lambda: [0]) as value:
        value[0] = 11
        raise ZeroDivisionError
    used(known, "next", 1)
    assert "broken" not in known


def test_who_adds_hears_what_had_to_go() -> None:
    """So that another process can forget the same; an entry that is there stays as it is."""
    known = Known[int](10, lambda size: size)
    assert known.add("a", 6) == []
    assert known.add("a", 0) == []
    assert known.add("b", 6) == ["a"]


class Box:
    """As an author's own class."""

    def __init__(self, content: np.ndarray) -> None:
        self.content = content


def holding(array: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a function with a value of its own."""
    return lambda: array


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros(50_000),
        lambda: np.zeros((500, 1000))[::2, ::2],
        lambda: [np.zeros(4) for _ in range(1000)],
        lambda: {str(n): (float(n), "x" * n) for n in range(500)},
        lambda: [[float(n) for n in range(1000)] for _ in range(50)],
        lambda: np.array([np.zeros(n) for n in range(500)], dtype=object),
        lambda: Box(np.zeros(50_000)),
        lambda: functools.partial(print, np.zeros(50_000)),
        lambda: holding(np.zeros(50_000)),
    ],
    ids=[
        *("array", "view", "small arrays", "mapping", "lists"),
        *("array of arrays", "object", "partial", "closure"),
    ],
)
def test_bytes_are_counted_as_memory_is_taken(make: Callable[[], object]) -> None:
    """Within a third; of a view, all that it keeps from being freed."""
    make()
    tracemalloc.start()
    value = make()
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert bytes_held(value) == pytest.approx(taken, rel=1 / 3)


def test_a_function_holds_what_it_was_made_among() -> None:
    """Those an author writes among the inputs hold all of them."""
    namespace = {"x": np.zeros(10_000)}
    exec("def f(): return x", namespace)  # noqa: S102  as an author's given is run
    assert bytes_held({"f": namespace["f"]}) > 80_000


def test_what_the_program_has_anyway_is_not_counted() -> None:
    """A function that an author imports holds its module no longer than that lives."""
    assert bytes_held({"mean": statistics.mean, "np": np, "kind": np.ndarray}) < 5_000


def test_what_is_shared_counts_once() -> None:
    """Also in a value that holds itself."""
    array = np.zeros(10_000)
    round_about: list[object] = [array, array]
    round_about.append(round_about)
    assert 80_000 < bytes_held(round_about) < 81_000
