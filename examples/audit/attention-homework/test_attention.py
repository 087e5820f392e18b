import numpy as np

from attention import attention, causal_attention, softmax


def test_softmax_adds_up_to_one():
    x = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    assert np.allclose(softmax(x).sum(axis=-1), 1)


def test_softmax_of_equal_scores():
    assert np.allclose(softmax(np.zeros((2, 4))), 0.25)


def test_softmax_of_large_scores():
    assert np.allclose(softmax(np.array([[1000.0, 0.0]])), [[1, 0]])


def test_attention_finds_the_key_that_fits():
    Q = 100 * np.eye(3)
    V = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    output, weights = attention(Q, np.eye(3), V)
    assert np.allclose(output, V)
    assert np.allclose(weights, np.eye(3))


def test_attention_shapes():
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    output, weights = attention(Q, K, V)
    assert output.shape == (4, 2)
    assert weights.shape == (4, 5)


def test_causal_attention_of_equal_values():
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    V = np.tile([1.0, 2.0], (4, 1))
    output, weights = causal_attention(Q, K, V)
    assert np.allclose(output, V)
    assert np.allclose(weights.sum(axis=-1), 1)
