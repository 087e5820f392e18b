"""A network of dense layers, against PyTorch, finite differences and the law of large numbers."""

from pathlib import Path

import numpy as np
import pytest
from learning_reference.dense_network import (
    dense_backward,
    initial_layers,
    network_loss,
    read_classes,
    train_reader,
)

from tests.course_reference.conftest import recorded

RECORD = recorded("dense_network")
X, LABELS = np.array(RECORD["x"]), np.array(RECORD["labels"])
W1, B1, W2, B2 = (np.array(value) for value in RECORD["parameters"])
DIGITS = Path(__file__).parents[2] / "courses" / "learning-from-data" / "data" / "small-digits.npy"


def test_loss_and_gradients_are_those_of_pytorch() -> None:
    """The mean cross-entropy of one hidden layer."""
    loss, gradients = network_loss((W1, B1, W2, B2), X, LABELS)
    assert loss == pytest.approx(RECORD["loss"], rel=1e-12)
    for got, expected in zip(gradients, RECORD["gradients"], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)


def test_training_is_that_of_pytorch() -> None:
    """Two epochs of batches in order, the last of them smaller; the first parameters stay."""
    settings = (RECORD["rate"], RECORD["epochs"], RECORD["batch"])
    trained = train_reader((W1, B1, W2, B2), X, LABELS, *settings)
    for got, expected in zip(trained, RECORD["trained"], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(W1, RECORD["parameters"][0])


def test_the_gradient_of_the_inputs_is_what_differences_measure() -> None:
    """The network's gradients leave the inputs out, so this one is measured."""
    d_output = np.array(RECORD["parameters"][2])[:3]  # (3, 4)
    x, W = X[:3], W1[:, :4]
    step = np.zeros_like(x)
    step[1, 2] = 1e-6
    measured = np.sum(d_output * ((x + step) @ W - (x - step) @ W)) / 2e-6
    assert dense_backward(d_output, x, W)[0][1, 2] == pytest.approx(measured, rel=1e-6)


def test_first_weights_keep_the_size_of_numbers() -> None:
    """The mean square is still about 1 after eight layers with relu; shapes follow the sizes."""
    layers = initial_layers([200] * 9, seed=5)
    x = np.random.default_rng(6).standard_normal((40, 200))
    for W, b in layers:
        x = np.maximum(x @ W + b, 0)
    assert 0.5 < np.mean(x**2) < 2
    assert [(W.shape, b.shape) for W, b in initial_layers([3, 2, 5], 0)] == [
        ((3, 2), (2,)),
        ((2, 5), (5,)),
    ]


def test_a_trained_network_reads_digits_that_it_has_not_seen() -> None:
    """At least nine of ten, from 300 images."""
    table = np.load(DIGITS)
    x, labels = table[:, :64] / 16, table[:, 64].astype(int)
    (first, first_bias), (second, second_bias) = initial_layers([64, 32, 10], seed=0)
    start = (first, first_bias, second, second_bias)
    trained = train_reader(start, x[:300], labels[:300], 0.5, 12, 30)
    assert np.mean(read_classes(trained, x[300:]) == labels[300:]) >= 0.9
