import numpy as np

from reference.projections import draw_qkv_weights, project_qkv

# A worked example: three tokens of four features, two features per query, key and value.
X = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 2.0], [1.0, 1.0, 0.0, 0.0]])
W_Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
W_K = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
W_V = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])


def test_the_projections_worked_out_by_hand() -> None:
    """Whole numbers in, whole numbers out."""
    Q, K, V = project_qkv(X, W_Q, W_K, W_V)

    assert Q.tolist() == [[2, 0], [0, 4], [1, 1]]
    assert K.tolist() == [[1, 2], [4, 0], [2, 1]]
    assert V.tolist() == [[2, 1], [0, 4], [1, 1]]


def test_weights_are_drawn_in_order() -> None:
    """W_Q, then W_K, then W_V, from the standard normal distribution."""
    weights = draw_qkv_weights(4, 3, np.random.default_rng(0), d_v=5)

    rng = np.random.default_rng(0)
    for drawn, shape in zip(weights, [(4, 3), (4, 3), (4, 5)], strict=True):
        np.testing.assert_array_equal(drawn, rng.standard_normal(shape))


def test_values_have_as_many_features_as_keys_unless_told() -> None:
    """Without d_v it is d_k."""
    assert draw_qkv_weights(4, 3, np.random.default_rng(0)).V.shape == (4, 3)
