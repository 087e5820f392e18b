import numpy as np
import pytest

from reference.feed_forward import init_feed_forward


def test_drawn_parameters_have_their_shapes_and_scale() -> None:
    """Biases start at zero, weights with the standard deviation asked for."""
    W1, b1, W2, b2 = init_feed_forward(np.random.default_rng(7), 50, 200, scale=0.1)

    assert [array.shape for array in (W1, b1, W2, b2)] == [(50, 200), (200,), (200, 50), (50,)]
    assert not b1.any()
    assert not b2.any()
    assert W1.std() == pytest.approx(0.1, rel=0.05)
    assert W2.std() == pytest.approx(0.1, rel=0.05)
