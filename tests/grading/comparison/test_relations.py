"""Relations of a wrong result to the right one, and results with none."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grader.grading.comparison.relations import find_relation
from grader.grading.comparison.relations.factors import find_shared_origin
from grader.grading.comparison.relations.pair import Relation
from grader.grading.feedback.relation_sentences import relation_sentence

Array = npt.NDArray[Any]


def softmax(scores: Array, axis: int = -1) -> Array:
    """Turn scores into weights along an axis."""
    shares = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis=axis, keepdims=True))


RNG = np.random.default_rng(5)
A = RNG.standard_normal((3, 5))
BATCH = RNG.standard_normal((4, 3, 2))
Q, K, V = (RNG.standard_normal((4, width)) for width in (3, 3, 5))
S = Q @ K.T / math.sqrt(3)
W = softmax(S)
FUTURE = np.triu(np.ones((4, 4), dtype=bool), k=1)
CAUSAL = softmax(np.where(FUTURE, -np.inf, S))
HEADS = np.arange(24.0).reshape(4, 6) ** 1.5
INPUTS: Mapping[str, Any] = {"Q": Q, "K": K, "V": V}


def split(array: Array) -> Array:
    """Split the last axis in two heads."""
    return array.reshape(4, 2, 3).transpose(1, 0, 2)


CASES: dict[str, tuple[object, object, str]] = {
    "swapped axes of a rectangle": (A, A.T, "transposed"),
    "swapped axes of a square": (S, S.T, "transposed"),
    "last two axes of a batch": (BATCH, BATCH.swapaxes(1, 2), "transposed"),
    "all axes of a batch": (BATCH, BATCH.transpose(2, 0, 1), "axes-permuted"),
    "times the root": (S, S * math.sqrt(3), "constant-factor"),
    "times a number": (A, A * 0.3, "constant-factor"),
    "a scalar times an axis": (0.73105, 0.73105 * 5, "constant-factor"),
    "negative": (A, -A, "sign-flipped"),
    "softmax over the other axis": (W, softmax(S, axis=0), "other-axis"),
    "unscaled": (W, softmax(Q @ K.T), "scores-scaled"),
    "scaled twice": (W, softmax(S / math.sqrt(3)), "scores-scaled"),
    "unscaled under a mask": (CAUSAL, softmax(np.where(FUTURE, -np.inf, Q @ K.T)), "scores-scaled"),
    "not divided by the sum": (W, np.exp(S), "not-normalised"),
    "masked after softmax": (CAUSAL, np.tril(W), "not-normalised"),
    "scores for weights": (W, S, "softmax-missing"),
    "other rows that do not add up": (W, W + S**2, "row-sums"),
    "without the maximum subtracted": (A - A.max(-1, keepdims=True), A, "subtraction-missing"),
    "without the mean subtracted": (A - A.mean(-1, keepdims=True), A, "subtraction-missing"),
    "scores for log-softmax": (np.log(W), S, "subtraction-missing"),
    "whole numbers": (10 * A, np.round(10 * A), "rounded"),
    "two digits": (A, A.round(2), "rounded"),
    "reversed columns": (A, A[:, ::-1], "reversed"),
    "reversed rows": (A, A[::-1], "reversed"),
    "rolled": (A, np.roll(A, 1, axis=1), "off-by-one"),
    "shifted, another value at the end": (A, np.c_[A[:, 1:], [9.0, 8.0, 7.0]], "off-by-one"),
    "shuffled batch": (BATCH, BATCH[[2, 0, 3, 1]], "rows-permuted"),
    "shuffled rows": (V, V[[2, 0, 3, 1]], "rows-permuted"),
    "an axis of one lost": (V[:, :1], V[:, 0], "axis-dropped"),
    "an axis of one lost from many": (V[:, None], V, "axis-dropped"),
    "an axis of one too many": (V, V[None], "axis-added"),
    "an axis of one elsewhere": (V[:, None], V[None], "axes-permuted"),
    "the last row missing": (V, V[:-1], "cut"),
    "flattened": (A, A.ravel(), "reshaped"),
    "a pair the wrong way round": ((W @ V, W), (W, W @ V), "items-swapped"),
    "an item of a pair": ((V, W), (V, W.T), "transposed"),
    "float32": (A.astype(np.float32), (A * 3).astype(np.float32), "constant-factor"),
}


@pytest.mark.parametrize("name", CASES)
def test_relation_is_named(name: str) -> None:
    """A result that is related to the expected one in a known way is said to be."""
    expected, got, relation_id = CASES[name]
    found = find_relation(expected, got, INPUTS)
    assert found is not None
    assert found.id == relation_id
    assert relation_sentence(found, next(iter(found.origins), None)).endswith((".", "?"))


NOTHING: dict[str, tuple[object, object]] = {
    "the same": (A, A.copy()),
    "unrelated numbers": (A, RNG.standard_normal((3, 5))),
    "one value off": (A, A + np.eye(3, 5)),
    "zeros": (A, np.zeros((3, 5))),
    "zeros expected": (np.zeros((3, 5)), A),
    "a constant for a constant": (np.full((3, 5), 2.0), np.full((3, 5), 6.0)),
    "ones for weights": (np.full((4, 4), 0.25), np.ones((4, 4))),
    "one number for another": (2.0, 6.0),
    "whole numbers that are squares": (4, 16),
    "two values": (np.array([0.0, 1.0]), np.array([0.0, 2.0])),
    "nearly a multiple": (A, A * 2 + 1e-4 * RNG.standard_normal((3, 5))),
    "NaN": (A, np.full((3, 5), np.nan)),
    "empty": (np.zeros((0, 3)), np.zeros((3, 0))),
    "text": ("a", "b"),
    "nothing returned": (A, None),
    "another form": ((A, A), A),
    "objects": (A, np.array([[1, "a"]], dtype=object)),
    "one-hot rows in another order": (np.eye(3), np.eye(3)[::-1] * 1.0),
    "more values than are looked at": (np.arange(2e4), -np.arange(2e4)),
    "another shape of other numbers": (A, RNG.standard_normal((5, 3))),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_named_without_a_reason(name: str) -> None:
    """Unrelated, trivial or inexact results have no relation."""
    expected, got = NOTHING[name]
    assert find_relation(expected, got, INPUTS) is None


@pytest.mark.slow
def test_random_results_are_unrelated() -> None:
    """No relation is seen in a thousand pairs of unrelated arrays."""
    rng = np.random.default_rng(1)
    for _ in range(1000):
        shape = tuple(rng.integers(2, 5, rng.integers(1, 4)))
        assert find_relation(rng.standard_normal(shape), rng.standard_normal(shape), INPUTS) is None


def _related_factor(formula: Callable[[int, int], float], n: int, m: int) -> Relation:
    inputs = {"Q": np.ones((2, n)), "V": np.ones((2, m))}
    found = find_relation(S, S * formula(n, m), inputs)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (lambda n, _: math.sqrt(n), "the square root of 3, the length of the last axis of `Q`"),
        (lambda n, _: 1 / math.sqrt(n), "1 divided by the square root of 3, the length of"),
        (lambda n, _: float(n), "3 times the expected one; 3 is the length of the last axis of"),
        (lambda n, m: n / m, "3 / 5, the length of the last axis of `Q` divided by the length of"),
        (lambda _, m: m / (m - 1), "n / (n - 1) for n = 5, the length of the last axis of `V`"),
        (lambda *_: 1 / math.log(2), "base 2"),
    ],
)
def test_factor_is_explained_by_inputs_of_two_sizes(
    formula: Callable[[int, int], float], words: str
) -> None:
    """A factor that is made of the inputs' sizes, whatever they are, is said to be."""
    one, other = _related_factor(formula, 3, 5), _related_factor(formula, 4, 7)
    assert words in relation_sentence(one, find_shared_origin(one, [other]))


def test_lengths_of_axes_explain_a_factor_before_numbers_of_values() -> None:
    """Also where one of the lengths is 1 in other inputs; the numbers of values fit as well."""
    related_factors = []
    for n, d, m in ((3, 4, 2), (5, 6, 1), (2, 3, 5)):
        inputs = {"K": np.ones((n, d)), "V": np.ones((n, m))}
        found = find_relation(S, S * math.sqrt(d / m), inputs)
        assert found is not None
        related_factors.append(found)
    one, *others = related_factors
    origin = find_shared_origin(one, others)
    assert origin is not None
    assert [(axis.name, axis.number) for axis in origin[1]] == [("K", -1), ("V", -1)]


def test_a_formula_that_fits_once_is_not_said() -> None:
    """It may fit by chance: another factor or the same sizes again do not confirm it."""
    one = _related_factor(lambda *_: 2 / 3, 3, 7)
    other = _related_factor(lambda *_: 1.625, 4, 9)
    assert one.origins
    for others in ([], [one], [other]):
        assert find_shared_origin(one, others) is None
    assert relation_sentence(one) == "Every value is 0.6667 times the expected one."


def test_missing_scale_of_weights_is_explained() -> None:
    """Attention without its scale is known by how much larger the scores must have been."""
    found = find_relation((CAUSAL @ V, CAUSAL), _unscaled(), INPUTS)
    assert found is not None
    assert relation_sentence(found, found.origins[0]) == (
        "Item 1: These would be the weights if the scores were 1.732 times as large; 1.732 is the "
        "square root of 3, the length of the last axis of `Q`."
    )


def _unscaled() -> tuple[Array, Array]:
    weights = softmax(np.where(FUTURE, -np.inf, Q @ K.T))
    return weights @ V, weights


def test_inputs_are_not_changed() -> None:
    """Looking for a relation leaves every array as it was."""
    before = W.copy(), S.copy()
    W.flags.writeable = S.flags.writeable = False
    find_relation(W, S, INPUTS)
    W.flags.writeable = S.flags.writeable = True
    assert np.array_equal(before[0], W)
    assert np.array_equal(before[1], S)
