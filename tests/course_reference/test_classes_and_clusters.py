"""The reference for classes and clusters, against scikit-learn, SciPy and what must hold."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning_reference.classifier_quality import area_by_pairs, calibration_gap, roc_points
from learning_reference.cluster_centres import lloyd_step, seeding_chances
from learning_reference.decision_trees import entropy_in_bits, gini_impurity, score_splits
from learning_reference.gaussian_mixtures import (
    gaussian_log_densities,
    mixture_parameters,
    responsibilities,
)
from learning_reference.logistic_models import (
    logistic_loss_and_gradient,
    sigmoid,
    softmax_loss,
    softmax_step,
)
from learning_reference.naive_bayes import naive_bayes_scores
from learning_reference.nearest_rows import leave_one_out_accuracy, vote_of_neighbours
from learning_reference.principal_axes import principal_components
from numpy.testing import assert_allclose, assert_array_equal

from tests.course_reference.conftest import recorded

ROOT = Path(__file__).parents[2]
RECORDED = recorded("classes_and_clusters")


def case_of(name: str) -> dict[str, Any]:
    """Return a recorded case with its lists as arrays."""
    return {
        key: np.array(value) if isinstance(value, list) else value
        for key, value in RECORDED[name].items()
    }


def test_the_sigmoid_is_that_of_scipy() -> None:
    """Scores far out and near 0 give what scipy.special.expit gives, without a warning."""
    case = case_of("regression")
    assert_allclose(sigmoid(case["z"]), case["sigmoid"], rtol=1e-14)


def test_logistic_regression_agrees_with_scikit_learn() -> None:
    """At scikit-learn's weights the loss is its log loss, and the gradient is zero."""
    case = case_of("regression")
    fit = case["fit_2"]
    weights, intercept = np.array(fit["weights"])[0], fit["intercepts"][0]
    loss, d_w, d_b = logistic_loss_and_gradient(case["X"], fit["y"], weights, intercept)
    assert loss == pytest.approx(fit["loss"], rel=1e-12)
    assert_allclose(np.append(d_w, d_b), 0.0, atol=1e-6)


def test_softmax_regression_agrees_with_scikit_learn() -> None:
    """At scikit-learn's weights the loss is its log loss, and a step leads nowhere."""
    case = case_of("regression")
    fit = case["fit_3"]
    W, b = np.array(fit["weights"]).T, np.array(fit["intercepts"])
    assert softmax_loss(case["X"], fit["y"], W, b) == pytest.approx(fit["loss"], rel=1e-12)
    moved = softmax_step(case["X"], fit["y"], W, b, 1.0)
    assert_allclose(moved[0], W, atol=1e-6)
    assert_allclose(moved[1], b, atol=1e-6)


def test_a_step_goes_against_the_slopes_of_the_loss() -> None:
    """The step of softmax regression is the measured slope of the loss times the rate."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((7, 2)), rng.integers(0, 3, 7)
    W, b = rng.standard_normal((2, 3)), rng.standard_normal(3)
    W_new, b_new = softmax_step(X, y, W, b, 0.5)
    nudge = 1e-6 * np.eye(2, 3)[:1].repeat(2, axis=0) * [[0.0], [1.0]]  # of W[1, 0]
    slope = (softmax_loss(X, y, W + nudge, b) - softmax_loss(X, y, W - nudge, b)) / 2e-6
    assert W[1, 0] - W_new[1, 0] == pytest.approx(0.5 * slope, rel=1e-6)
    nudge = 1e-6 * np.eye(3)[2]
    slope = (softmax_loss(X, y, W, b + nudge) - softmax_loss(X, y, W, b - nudge)) / 2e-6
    assert b[2] - b_new[2] == pytest.approx(0.5 * slope, rel=1e-6)


def test_neighbours_vote_as_in_scikit_learn() -> None:
    """One, four and nine neighbours give scikit-learn's labels, and its leave-one-out accuracy."""
    case = case_of("neighbours")
    X, y = case["X"], case["y"]
    for k, labels in zip(case["k"], case["labels"], strict=True):
        assert_array_equal(vote_of_neighbours(X, y, case["queries"], k), labels)
    assert leave_one_out_accuracy(X, y) == pytest.approx(case["lone"])


def test_ties_of_neighbours_follow_the_rules() -> None:
    """Equal distances prefer the first row, equal votes the smaller label, and twins count."""
    assert vote_of_neighbours([[1.0], [-1.0]], [5, 2], [[0.0]], 1) == [5]
    assert vote_of_neighbours([[1.0], [-1.0]], [5, 2], [[0.0]], 2) == [2]
    assert leave_one_out_accuracy([[0.0], [0.0], [3.0]], [1, 1, 0]) == pytest.approx(2 / 3)


def test_naive_bayes_agrees_with_scikit_learn() -> None:
    """Joint log probabilities are scikit-learn's, also of a class with a single row."""
    case = case_of("naive_bayes")
    scores = naive_bayes_scores(case["X"], case["y"], case["queries"], case["extra"])
    assert_allclose(scores, case["scores"], rtol=1e-12)


def test_the_best_split_is_that_of_a_stump() -> None:
    """The lowest impurity and its threshold are those of scikit-learn's tree of depth 1."""
    case = case_of("stump")
    thresholds, impurities = score_splits(case["x"], case["y"])
    assert impurities.min() == pytest.approx(case["impurity"], rel=1e-12)
    assert thresholds[impurities.argmin()] == pytest.approx(case["threshold"])
    assert gini_impurity(np.bincount(case["y"])) == pytest.approx(case["root"], rel=1e-12)
    assert entropy_in_bits(case["counts"]) == pytest.approx(case["entropy"], rel=1e-12)


def test_a_round_of_k_means_is_that_of_scikit_learn() -> None:
    """Labels and moved centres agree, a centre without rows stays, and the chances are SciPy's."""
    case = case_of("clusters")
    labels, moved = lloyd_step(case["X"], case["centres"])
    assert_array_equal(labels, case["labels"])
    assert_allclose(moved, case["moved"], rtol=1e-12)
    assert_allclose(lloyd_step([[1.0]], [[0.0], [9.0]])[1], [[1.0], [9.0]])
    assert_allclose(seeding_chances(case["X"], case["chosen"]), case["chances"], rtol=1e-12)


def test_components_of_the_irises_are_those_of_scikit_learn() -> None:
    """Components agree up to their signs, which make the largest entry positive; shares agree."""
    case = case_of("components")
    path = ROOT / "courses" / "learning-from-data" / "data" / "iris.csv"
    X = np.loadtxt(path, delimiter=",", skiprows=1)[:, :4]
    components, coordinates, shares = principal_components(X, 4)
    assert_allclose(np.abs(np.sum(components * case["components"], axis=1)), 1.0, rtol=1e-12)
    assert_allclose(shares, case["shares"], rtol=1e-12)
    assert (components.max(axis=1) == np.abs(components).max(axis=1)).all()
    assert_allclose(coordinates @ components + X.mean(axis=0), X, rtol=1e-12)


def test_a_mixture_stands_still_where_scikit_learn_stopped() -> None:
    """Densities are SciPy's, responsibilities scikit-learn's, and their parameters come back."""
    case = case_of("mixture")
    densities = gaussian_log_densities(case["X"], case["means"], case["covariances"])
    assert_allclose(densities, case["log_densities"], rtol=1e-10)
    shares = responsibilities(densities, case["weights"])
    assert_allclose(shares, case["responsibilities"], rtol=1e-6, atol=1e-9)
    weights, means, covariances = mixture_parameters(case["X"], shares)
    assert_allclose(weights, case["weights"], atol=1e-5)
    assert_allclose(means, case["means"], atol=1e-5)
    assert_allclose(covariances, case["covariances"], atol=1e-5)


def test_roc_and_calibration_agree_with_scikit_learn() -> None:
    """Points and area with ties are scikit-learn's, and so is the weighted gap of the bins."""
    case = case_of("quality")
    false_rate, true_rate = roc_points(case["labels"], case["scores"])
    assert_allclose(false_rate, case["false_rate"], rtol=1e-12)
    assert_allclose(true_rate, case["true_rate"], rtol=1e-12)
    assert area_by_pairs(case["labels"], case["scores"]) == pytest.approx(case["area"], rel=1e-12)
    assert calibration_gap(case["labels"], case["chances"], 7) == pytest.approx(case["gap"])
    assert calibration_gap([1, 0], [1.0, 0.5], 2) == pytest.approx(0.25)
