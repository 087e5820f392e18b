import numpy as np
import pytest

from reference.gradient_clipping import clip_by_global_norm, global_norm
from tests.reference.conftest import Recorded


def test_clipped_gradients_are_those_of_torch(recorded: Recorded) -> None:
    """One norm for all arrays; what is short enough stays as it is.

    PyTorch adds 1e-6 to the norm before it divides.
    """
    for case in (recorded("training", "clipped"), recorded("training", "short_enough")):
        gradients, limit = (case.inputs["W"], case.inputs["b"]), float(case.inputs["limit"])

        (W, b), norm = clip_by_global_norm(gradients, limit)

        np.testing.assert_allclose(W, case.outputs["W"], rtol=1e-6)
        np.testing.assert_allclose(b, case.outputs["b"], rtol=1e-6)
        assert norm == pytest.approx(float(case.outputs["norm"]), rel=1e-12)
        assert global_norm((W, b)) == pytest.approx(min(limit, norm), rel=1e-12)


def test_gradients_of_zero_stay_zero() -> None:
    """Their direction is not a number, but they are short enough; dtypes and inputs stay."""
    zeros = (np.zeros((2, 3), dtype=np.float32), np.zeros(3))
    zeros[0].flags.writeable = zeros[1].flags.writeable = False

    clipped, norm = clip_by_global_norm(zeros, 1.0)

    assert norm == 0
    assert [part.dtype.name for part in clipped] == ["float32", "float64"]
    assert not any(part.any() for part in clipped)
