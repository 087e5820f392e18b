import numpy as np
import pytest

from reference.lora import lora_forward, lora_merge


def test_the_merged_matrix_does_what_matrix_and_correction_do() -> None:
    """Entry by entry: W plus alpha / r times the sum over the r features of A and B."""
    rng = np.random.default_rng(0)
    x, W = rng.standard_normal((2, 3, 5)), rng.standard_normal((5, 7))
    A, B = rng.standard_normal((5, 2)), rng.standard_normal((2, 7))

    merged = lora_merge(W, A, B, alpha=6)

    for i, j in np.ndindex(W.shape):
        assert merged[i, j] == pytest.approx(W[i, j] + 3 * sum(A[i, r] * B[r, j] for r in (0, 1)))
    np.testing.assert_allclose(lora_forward(x, W, A, B, alpha=6), x @ merged, rtol=1e-12)


@pytest.mark.parametrize(("A", "B"), [((5, 2), (3, 7)), ((4, 2), (2, 7))])
def test_factors_that_do_not_fit_are_refused(A: tuple[int, int], B: tuple[int, int]) -> None:
    """The rank has to agree, and the product has to have the shape of W."""
    with pytest.raises(ValueError, match="shape"):
        lora_merge(np.ones((5, 7)), np.ones(A), np.ones(B), alpha=1)
