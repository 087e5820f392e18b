import numpy as np
import pytest

from reference.scaling import measure_scaling, scale_scores

SIZES = (4, 16, 64, 256, 512)


def test_scores_are_divided_by_the_root_of_the_features() -> None:
    """With 16 features a score of 8 becomes 2."""
    assert scale_scores([[8, -4]], d_k=16).tolist() == [[2, -1]]


@pytest.mark.parametrize("d_k", SIZES)
def test_the_variance_of_scores_is_the_number_of_features(d_k: int) -> None:
    """Measured on many pairs, the scores have variance d_k without scaling and 1 with it."""
    measured = measure_scaling(d_k, np.random.default_rng(0), n=257, m=251)

    assert measured.variance_unscaled == pytest.approx(d_k, rel=0.1)
    assert measured.variance_scaled == pytest.approx(1, rel=0.1)


def test_only_unscaled_attention_saturates() -> None:
    """From 4 to 512 features the unscaled peak rises towards 1 and its slope falls, the scaled stay."""
    rng = np.random.default_rng(0)
    few, *_, many = [measure_scaling(d_k, rng, n=257, m=251) for d_k in SIZES]

    assert few.mean_peak_unscaled < 0.2
    assert many.mean_peak_unscaled > 0.9
    assert many.slope_unscaled < few.slope_unscaled / 5
    assert many.mean_peak_scaled == pytest.approx(few.mean_peak_scaled, rel=0.15)
    assert many.slope_scaled == pytest.approx(few.slope_scaled, rel=0.05)


def test_the_experiment_with_four_tokens() -> None:
    """Four queries and keys of a fixed seed have these largest weights, without and with scaling."""
    rng = np.random.RandomState(42)  # its numbers will never change

    measured = [measure_scaling(d_k, rng) for d_k in SIZES]

    unscaled = [round(m.max_weight_unscaled, 4) for m in measured]
    scaled = [round(m.max_weight_scaled, 4) for m in measured]
    assert unscaled == [0.9048, 0.8828, 0.9888, 1.0, 1.0]
    assert scaled == [0.6650, 0.4708, 0.4617, 0.7101, 0.7490]
