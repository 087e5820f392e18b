"""The small language models of the course, against PyTorch and plain counting."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning_reference.windowed_language import (
    bits_per_letter,
    context_windows,
    follower_probabilities,
    letter_numbers,
    window_log_probabilities,
)

from tests.course_reference.conftest import recorded

CASES = recorded("windowed_language")["cases"]
DATA = Path(__file__).parents[2] / "courses" / "learning-from-data" / "data"


@pytest.mark.parametrize("case", CASES)
def test_forecasts_are_those_of_pytorch(case: dict[str, Any]) -> None:
    """The logarithms of probabilities equal those of PyTorch's embedding, linear and log_softmax."""
    forecast = window_log_probabilities(
        case["contexts"], case["E"], case["W"], case["b"], case["U"]
    )
    np.testing.assert_allclose(forecast, case["log_probabilities"], rtol=1e-12)


def test_follower_probabilities_are_smoothed_counts() -> None:
    """Each probability is the count of its pair plus alpha, as a share of its row."""
    tokens = [0, 2, 2, 0, 2, 2, 2, 3]
    pairs, befores = Counter(pairwise(tokens)), Counter(tokens[:-1])
    expected = [[(pairs[i, j] + 0.5) / (befores[i] + 2.0) for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(follower_probabilities(tokens, 4, 0.5), expected, rtol=1e-14)


def test_bits_of_a_text_follow_from_the_counts_of_the_story(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mean surprise is that of add-one counts of the letter pairs in ferry.txt."""
    monkeypatch.chdir(DATA)
    story = " ".join(Path("ferry.txt").read_text(encoding="ascii").split())
    pairs, befores = Counter(pairwise(story)), Counter(story[:-1])
    shares = [(pairs[i, j] + 1) / (befores[i] + 27) for i, j in pairwise("a quiet harbour")]
    assert bits_per_letter("a quiet harbour") == pytest.approx(-np.log2(shares).mean(), rel=1e-12)


def test_letters_are_numbered_from_one() -> None:
    """A space is token 0, and the letters a to z are 1 to 26."""
    assert letter_numbers("a z").tolist() == [1, 0, 26]


def test_each_window_is_followed_by_its_target() -> None:
    """Every window together with its target is a piece of the text."""
    contexts, targets = context_windows(np.arange(10, 17), 3)
    pieces = np.column_stack([contexts, targets])
    np.testing.assert_array_equal(pieces, np.arange(10, 14)[:, np.newaxis] + np.arange(4))
