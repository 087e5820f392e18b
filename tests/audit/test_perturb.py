"""Other arguments like those of recorded calls."""

from typing import Any

import numpy as np

from grader.audit.confined.perturb import (
    Steps,
    arrays,
    map_arguments,
    with_other_numbers,
    with_other_sizes,
)

STEPS: Steps = (("", ([[60, 0], [0, 60]], ["a", [1.5]], [[1], [2, 3]]), {}),)


def test_a_list_of_numbers_is_changed_as_an_array_is() -> None:
    """Nested or not; what has rows of several lengths is taken number by number."""
    assert [each.shape for each in arrays(STEPS)] == [(2, 2), (1,), (1,), (2,)]

    def double(value: Any) -> Any:
        return 2 * value if isinstance(value, np.ndarray) else value

    ((_, args, _),) = map_arguments(STEPS, double)
    assert args == ([[120, 0], [0, 120]], ["a", [3.0]], [[2], [4, 6]])
    ((_, same, _),) = map_arguments(STEPS, lambda value: value)
    assert same[0] is STEPS[0][1][0]


def test_lists_get_other_numbers_and_sizes() -> None:
    """Whole ones are floats now and then, since rows of large whole numbers hide much."""
    rng = np.random.default_rng(0)
    found = [with_other_numbers(rng, STEPS, kind)[0][1][0] for kind in range(30)]
    assert all(type(each) is list for each in found)
    assert {type(number) for each in found for row in each for number in row} == {int, float}
    sizes = {np.shape(with_other_sizes(rng, STEPS)[0][1][0]) for _ in range(20)}
    assert len(sizes) > 2


def test_texts_get_other_letters_in_longer_runs_and_modes_stay() -> None:
    """What depends on a run of letters shows in no text without one."""
    rng = np.random.default_rng(0)
    steps: Steps = (("", ("aab", "mode", ""), {}),)
    found = [with_other_numbers(rng, steps, kind, ("mode",))[0][1] for kind in range(30)]
    assert {each[1:] for each in found} == {("mode", "")}
    texts = {each[0] for each in found}
    assert set("".join(texts)) == {"a", "b"}
    assert any("bbb" in each for each in texts)
