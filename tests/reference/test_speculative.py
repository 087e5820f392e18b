import numpy as np
import pytest

from reference.speculative import check_draft, leftover


@pytest.mark.parametrize("p", [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
def test_the_first_token_has_the_distribution_of_the_large_model(p: list[float]) -> None:
    """On an even grid of drafts, u and v, each token is written as often as p says."""
    q = [0.25, 0.5, 0.25]
    grid = (np.arange(64) + 0.5) / 64
    counts = np.zeros(3)

    for draft in (0, 1, 1, 2):  # as q draws
        for u in grid:
            for v in grid:
                written = check_draft(np.array([p, q]), [q], [draft], [u], v)
                counts[written[0]] += 1

    np.testing.assert_allclose(counts / counts.sum(), p, atol=1e-2)


def test_writing_stops_at_the_first_rejected_draft() -> None:
    """Two accepted, one replaced; with none rejected, one token more from the last row."""
    P = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    Q = np.full((3, 2), 0.5)

    assert check_draft(P, Q, [1, 0, 1], [0.9, 0.9, 0.5], 0.3) == [1, 0, 0]
    assert check_draft(P, Q, [1, 0, 1], [0.9, 0.9, 0.1], 0.3) == [1, 0, 1, 1]
    assert check_draft(P[:1], Q[:0], [], [], 0.7) == [1]


def test_equal_models_leave_nothing_over() -> None:
    """The distribution itself then serves as well as any, since no draft is rejected."""
    assert leftover([0.25, 0.75], [0.25, 0.75]).tolist() == [0.25, 0.75]
    assert leftover([0.5, 0.25, 0.25], [0.25, 0.5, 0.25]).tolist() == [1, 0, 0]
