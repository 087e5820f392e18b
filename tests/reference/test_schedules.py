from reference.schedules import warm_up_cosine


def test_the_floor_stays_and_shapes_too() -> None:
    """After the last step, however the steps are arranged."""
    assert warm_up_cosine([[100, 5], [20, 1]], 1.0, 5, 20, 0.25).tolist() == [
        [0.25, 1.0],
        [0.25, 0.2],
    ]
