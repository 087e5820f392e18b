import numpy as np
import pytest

from reference.optimizers import adamw_step, gradient_descent_step, init_adamw
from reference.parameters import arrays_in


def test_a_step_goes_against_the_gradient() -> None:
    """Each parameter moves by the learning rate times its gradient."""
    W, b = gradient_descent_step(
        (np.array([1.0, 2.0]), np.array(3.0)), (np.array([10.0, -10.0]), np.array(0.0)), 0.1
    )

    assert W.tolist() == [0.0, 3.0]
    assert b == 3


def test_the_first_step_of_adamw_has_the_length_of_the_learning_rate() -> None:
    """At first only the sign of the gradient matters, not its size."""
    start = np.array([1.0, 1.0, 1.0])

    moved, state = adamw_step(
        start, np.array([1e-3, -50.0, 0.0]), init_adamw(start), 0.1, weight_decay=0.0
    )

    np.testing.assert_allclose(moved, [0.9, 1.1, 1.0], rtol=1e-5)
    assert state.step == 1


def test_decay_shrinks_what_has_no_gradient() -> None:
    """Decay is apart from the gradient: it multiplies by 1 - lr * decay."""
    start = np.array([2.0])

    moved, _ = adamw_step(start, np.zeros(1), init_adamw(start), 0.5, weight_decay=0.1)

    np.testing.assert_allclose(moved, [2 * 0.95], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_stay_and_inputs_are_only_read(dtype: type[np.floating]) -> None:
    """New parameters have the old dtypes and memory of their own, and so has the state."""
    start = (np.ones((2, 3), dtype=dtype), np.ones(3, dtype=dtype))
    gradients = (np.ones((2, 3), dtype=dtype), np.ones(3, dtype=dtype))
    state = init_adamw(start)
    given = [*arrays_in(start), *arrays_in(gradients), *arrays_in(state[1:])]
    for array in given:
        array.flags.writeable = False

    moved, later = adamw_step(start, gradients, state, np.float64(0.1))
    results = [*arrays_in(moved), *arrays_in(later[1:])]
    results += arrays_in(gradient_descent_step(start, gradients, np.float64(0.1)))

    assert all(np.shares_memory(result, array) is False for result in results for array in given)
    assert all(array.dtype == dtype for array in results)
