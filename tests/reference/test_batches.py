import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from reference.batches import sum_to_shape


@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=4), st.data())
def test_every_use_of_an_entry_is_counted(shapes: object, data: st.DataObject) -> None:
    """The sum of a gradient of ones says how often broadcasting used each entry."""
    small, other = shapes.input_shapes  # type: ignore[attr-defined]  # Hypothesis hides the type
    full = np.broadcast_shapes(small, other)
    entries = np.arange(math.prod(small)).reshape(small)
    uses = np.bincount(np.broadcast_to(entries, full).ravel(), minlength=entries.size)

    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    total = sum_to_shape(np.ones(full, dtype=dtype), small)

    assert total.dtype == dtype
    np.testing.assert_array_equal(total, uses.reshape(small))


def test_a_sum_over_nothing_is_a_copy() -> None:
    """Where nothing was broadcast the gradient stays, in memory of its own."""
    gradient = np.arange(6.0).reshape(2, 3)

    total = sum_to_shape(gradient, (2, 3))

    np.testing.assert_array_equal(total, gradient)
    assert not np.shares_memory(total, gradient)
