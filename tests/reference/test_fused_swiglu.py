import re

import numpy as np
import pytest

from reference.feed_forward import gated_feed_forward
from reference.fused_swiglu import fused_rms_swiglu
from reference.normalization import rms_norm
from tests.reference.conftest import Recorded


def test_output_is_that_of_torch(recorded: Recorded) -> None:
    """One product for both halves, and the root mean square after it."""
    case = recorded("training", "fused_swiglu")

    x, gain, W_in, W_down = case.inputs.values()

    output = fused_rms_swiglu(x, gain, W_in, W_down)

    np.testing.assert_allclose(output, case.outputs["output"], rtol=1e-12, atol=1e-14)


def test_it_is_the_two_steps_one_after_the_other() -> None:
    """For zeros too, and in float32, which stays."""
    rng = np.random.default_rng(0)
    x, gain, W_in, W_down = (
        rng.standard_normal(shape).astype(np.float32) for shape in ((3, 4), 4, (4, 10), (5, 4))
    )
    x[1] = 0.0

    output = fused_rms_swiglu(x, gain, W_in, W_down)
    steps = gated_feed_forward(rms_norm(x, gain), W_in[:, :5], W_in[:, 5:], W_down)

    assert output.dtype == np.float32
    np.testing.assert_allclose(output, steps, rtol=1e-5, atol=1e-6)


def test_shapes_have_to_go_together() -> None:
    """The gain has an entry for each feature, and W_in two halves."""
    with pytest.raises(ValueError, match=re.escape("gain of shape (3,)")):
        fused_rms_swiglu(np.ones((2, 4)), np.ones(3), np.ones((4, 6)), np.ones((3, 4)))
    with pytest.raises(ValueError, match=re.escape("got shape (4, 5)")):
        fused_rms_swiglu(np.ones((2, 4)), np.ones(4), np.ones((4, 5)), np.ones((3, 4)))
