from typing import NamedTuple

import numpy as np

from reference.arrays import FloatArray
from reference.parameters import arrays_in, count_parameters, map_arrays


class Pair(NamedTuple):
    W: FloatArray
    b: FloatArray


class Model(NamedTuple):
    layers: tuple[Pair, ...]
    head: FloatArray


def model() -> Model:
    pairs = (Pair(np.ones((2, 3)), np.zeros(3)), Pair(np.full((3, 5), 2.0), np.ones(5)))
    return Model(pairs, np.arange(7.0))


def test_a_function_reaches_every_array() -> None:
    """The result has the same structure, with the names of the named tuples."""
    doubled = map_arrays(lambda array: 2 * array, model())

    assert isinstance(doubled, Model)
    assert isinstance(doubled.layers[1], Pair)
    assert doubled.layers[1].W.tolist() == [[4.0] * 5] * 3
    assert doubled.head.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]


def test_arrays_in_the_same_place_meet() -> None:
    """With two trees the function gets one array of each."""
    total = map_arrays(np.add, model(), model())

    for one, double in zip(arrays_in(model()), arrays_in(total), strict=True):
        np.testing.assert_array_equal(double, 2 * one)


def test_an_array_alone_is_a_tree() -> None:
    """Functions on parameters work for a single matrix too."""
    assert map_arrays(np.negative, np.ones(2)).tolist() == [-1.0, -1.0]
    assert count_parameters(np.ones((2, 3))) == 6


def test_arrays_come_from_left_to_right() -> None:
    """Their sizes add up to the number of parameters."""
    assert [array.shape for array in arrays_in(model())] == [(2, 3), (3,), (3, 5), (5,), (7,)]
    assert count_parameters(model()) == 6 + 3 + 15 + 5 + 7
