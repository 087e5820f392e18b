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
