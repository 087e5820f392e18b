import itertools
from collections.abc import Iterable

import numpy as np
import pytest

from reference.beam_search import beam_search, length_penalty


def test_the_penalty_grows_with_the_length() -> None:
    """It is 1 for a single token, and with an alpha of 0 for all."""
    assert length_penalty(1, 0.6) == 1
    assert length_penalty(7, 1.0) == 2
    assert length_penalty(7, 0.0) == 1
    with pytest.raises(ValueError, match="at least one token, got 0"):
        length_penalty(0, 1.0)


@pytest.mark.parametrize("alpha", [0.0, 0.8, 2.0])
def test_a_beam_that_holds_everything_orders_all_texts(alpha: float) -> None:
    """As trying all of them shows."""
    rng = np.random.default_rng(7)
    p = rng.dirichlet(np.ones(4), (4, 4))
    texts: list[tuple[int, ...]] = [
        text
        for n in (1, 2, 3, 4)
        for text in itertools.product(range(4), repeat=n)
        if 0 not in text[:-1] and (n == 4 or text[-1] == 0)  # token 0 ends a text
    ]

    def score(text: Iterable[int]) -> float:
        text = tuple(text)
        logs = [np.log(p[t, a, b]) for t, (a, b) in enumerate(itertools.pairwise((2, *text)))]
        return float(np.sum(logs)) / length_penalty(len(text), alpha)

    results = beam_search(np.log(p), 2, 0, width=4**4, alpha=alpha)

    assert [tuple(text.tokens) for text in results] == sorted(texts, key=score, reverse=True)
    assert [text.score for text in results] == pytest.approx(
        sorted(map(score, texts), reverse=True)
    )


def test_a_beam_of_one_is_greedy_and_a_wider_one_looks_further() -> None:
    """The most probable first token leads to nothing good."""
    p = np.array([[1.0, 0, 0, 0], [0, 0, 0.6, 0.4], [0.4, 0.3, 0.3, 0], [0.9, 0, 0.1, 0]])
    with np.errstate(divide="ignore"):
        log_p = np.log([p, p])

    assert beam_search(log_p, 1, 0, width=1, alpha=0.0)[0].tokens == [2, 0]
    assert beam_search(log_p, 1, 0, width=2, alpha=0.0)[0].tokens == [3, 0]
