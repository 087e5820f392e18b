import numpy as np
import pytest

from reference.gradient_clipping import accumulate_gradients, clip_by_global_norm, global_norm
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


def test_accumulated_gradients_are_those_of_all_tokens_at_once(recorded: Recorded) -> None:
    """Batches of several lengths count for as many tokens as they have."""
    case = recorded("training", "accumulated")

    gradient = accumulate_gradients(list(case.inputs["gradients"]), case.inputs["counts"].tolist())

    np.testing.assert_allclose(gradient, case.outputs["gradient"], rtol=1e-12)


def test_gradients_of_zero_stay_zero() -> None:
    """Their direction is no number, but they are short enough; dtypes stay, inputs too."""
    zeros = (np.zeros((2, 3), dtype=np.float32), np.zeros(3))
    zeros[0].flags.writeable = zeros[1].flags.writeable = False

    clipped, norm = clip_by_global_norm(zeros, 1.0)

    assert norm == 0
    assert [part.dtype.name for part in clipped] == ["float32", "float64"]
    assert not any(part.any() for part in clipped)


def test_settings_out_of_range_are_refused() -> None:
    """Limits are above 0; each batch has a count, and there are tokens."""
    with pytest.raises(ValueError, match="above 0, got 0"):
        clip_by_global_norm(np.ones(2), 0)
    with pytest.raises(ValueError, match="got 2 batches"):
        accumulate_gradients([np.ones(2), np.ones(2)], [1])
    with pytest.raises(ValueError, match="counts of"):
        accumulate_gradients([np.ones(2)], [0])
