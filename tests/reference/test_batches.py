import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from reference.batches import require_broadcasting_batches, require_matrices, sum_to_shape


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


@pytest.mark.parametrize("shape", [(2, 2, 3), (3, 3), (2,)])
def test_a_shape_that_does_not_broadcast_is_refused(shape: tuple[int, ...]) -> None:
    """The error names both shapes."""
    message = f"shape {shape} does not broadcast to shape (2, 3)"
    with pytest.raises(ValueError, match=re.escape(message)):
        sum_to_shape(np.ones((2, 3)), shape)


def test_checks_pass_what_goes_together() -> None:
    """Matrices with batch axes that broadcast raise nothing."""
    require_matrices("A", (2, 3), "B", (5, 7, 11))
    require_broadcasting_batches("A", (2, 1, 3, 5), "B", (7, 11, 13))


def test_checks_name_both_shapes() -> None:
    """A vector is no matrix, and batches of 2 and 3 do not broadcast."""
    with pytest.raises(ValueError, match=r"A of shape \(2,\) and B of shape \(3, 5\)"):
        require_matrices("A", (2,), "B", (3, 5))
    with pytest.raises(ValueError, match=r"A of shape \(2, 5, 7\) and B of shape \(3, 5, 7\)"):
        require_broadcasting_batches("A", (2, 5, 7), "B", (3, 5, 7))
