import numpy as np
import pytest

from reference.schedules import warm_up_cosine
from tests.reference.conftest import Recorded


def test_rates_are_those_of_torch(recorded: Recorded) -> None:
    """A line up to the peak at step 5, half a wave down to the floor at step 17.

    PyTorch's own warm-up starts at a fifth of the peak and takes four further steps.
    """
    case = recorded("training", "warm_up_cosine")

    rates = warm_up_cosine(case.inputs["steps"], 0.4, 5, 17, floor=0.1)

    np.testing.assert_allclose(rates, case.outputs["rates"], rtol=1e-12)


def test_the_floor_stays_and_shapes_too() -> None:
    """After the last step, however the steps are arranged."""
    assert warm_up_cosine([[100, 5], [20, 1]], 1.0, 5, 20, 0.25).tolist() == [
        [0.25, 1.0],
        [0.25, 0.2],
    ]


@pytest.mark.parametrize(("warm_up", "total"), [(0, 5), (5, 5)])
def test_a_plan_rises_and_falls(warm_up: int, total: int) -> None:
    """There is at least one step of each."""
    with pytest.raises(ValueError, match="1 <= warm_up < total"):
        warm_up_cosine([1], 1.0, warm_up, total)
