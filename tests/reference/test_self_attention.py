import re
from pathlib import Path

import numpy as np
import pytest

from reference.attention import causal_attention, scaled_dot_product_attention
from reference.masks import causal_mask
from reference.self_attention import self_attention, self_attention_with_drawn_weights

X = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 2.0], [1.0, 1.0, 0.0, 0.0]])
W_Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
W_K = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
W_V = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])


def test_self_attention_is_attention_between_its_own_projections() -> None:
    """With drawn weights on other shapes, the same as projecting first."""
    rng = np.random.default_rng(0)
    x, q, k, v = (rng.standard_normal(s) for s in [(2, 3, 5), (5, 7), (5, 7), (5, 11)])

    for result, expected in [
        (self_attention(x, q, k, v), scaled_dot_product_attention(x @ q, x @ k, x @ v)),
        (self_attention(x, q, k, v, causal_mask(3)), causal_attention(x @ q, x @ k, x @ v)),
    ]:
        np.testing.assert_allclose(result[0], expected[0], rtol=1e-12)
        np.testing.assert_allclose(result[1], expected[1], rtol=1e-12)


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_drawn_weights_come_from_the_generator(generator: type) -> None:
    """W_Q, W_K and W_V are drawn in this order, and the state moves on."""
    x, rng, same = np.arange(12.0).reshape(3, 4) / 12, generator(7), generator(7)

    output, weights = self_attention_with_drawn_weights(x, 3, rng, causal_mask(3))

    drawn = [same.standard_normal((4, 3)) for _ in range(3)]
    expected = self_attention(x, drawn[0], drawn[1], drawn[2], causal_mask(3))
    np.testing.assert_array_equal(output, expected[0])
    np.testing.assert_array_equal(weights, expected[1])
    assert rng.standard_normal() == same.standard_normal()


def test_no_function_draws_from_a_generator_of_its_own() -> None:
    """NumPy's global state, which no module may touch, is as before."""
    before = np.random.get_state(legacy=False)  # noqa: NPY002  the state under test

    self_attention_with_drawn_weights(X, 3, np.random.default_rng(0))

    after = np.random.get_state(legacy=False)  # noqa: NPY002  as above
    np.testing.assert_equal(after, before)
    for path in Path(__file__).parents[2].joinpath("reference").glob("*.py"):
        assert not re.search(r"np\.random\.(seed|rand|randn|default_rng)\(", path.read_text()), path
