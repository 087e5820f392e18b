import numpy as np

from reference.feed_forward import gated_feed_forward
from reference.fused_swiglu import fused_rms_swiglu
from reference.normalization import rms_norm


def test_fused_swiglu_is_the_two_steps_one_after_the_other() -> None:
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
