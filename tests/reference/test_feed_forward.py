import numpy as np
import pytest

from reference.feed_forward import feed_forward, init_feed_forward


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_positions_do_not_see_each_other(batch: tuple[int, ...], dtype: type[np.floating]) -> None:
    """Each position gets what it would get alone, in the dtype of the inputs."""
    rng = np.random.default_rng(6)
    x = rng.standard_normal((*batch, 5)).astype(dtype)
    parameters = [array.astype(dtype) for array in init_feed_forward(rng, 5, 7, scale=1.0)]

    y = feed_forward(x, *parameters, activation="gelu")

    assert y.shape == x.shape
    assert y.dtype == dtype
    for index in np.ndindex(batch):
        alone = feed_forward(x[index], *parameters, activation="gelu")
        np.testing.assert_allclose(y[index], alone, rtol=1e-4, atol=1e-6)


def test_drawn_parameters_have_their_shapes_and_scale() -> None:
    """Biases start at zero, weights with the standard deviation asked for."""
    W1, b1, W2, b2 = init_feed_forward(np.random.default_rng(7), 50, 200, scale=0.1)

    assert [array.shape for array in (W1, b1, W2, b2)] == [(50, 200), (200,), (200, 50), (50,)]
    assert not b1.any()
    assert not b2.any()
    assert W1.std() == pytest.approx(0.1, rel=0.05)
    assert W2.std() == pytest.approx(0.1, rel=0.05)
