"""Writer of docs/reference/printed-numbers.md: numbers of the source documents, and the right ones.

    python scripts/printed_numbers.py          writes the file
    python scripts/printed_numbers.py --check  fails if the file is out of date

The printed numbers are quoted. The right ones are computed here, with the documents' own seeds and
the functions of `reference`. docs/reference/coverage.md names the documents.
"""

# ruff: noqa: INP001  a script, in no package

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.masks import causal_mask
from reference.multi_head import init_multi_head, multi_head_attention
from reference.projections import project_qkv
from reference.scaling import scale_scores
from reference.similarity import similarity_scores

Array = npt.NDArray[np.float64]

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "printed-numbers.md"
HEAD = """\
# The numbers that the source documents print

Written by `scripts/printed_numbers.py`, which computes the column "true" with each document's
own seed. A row is marked where the two differ by more than the last digit printed.
[coverage.md](coverage.md) names the documents. Documents 0, 2 and 4 print no numbers that can be
computed: they print none, or draw them without a seed.

"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A number printed in a document, and the computed one."""

    document: int
    what: str
    printed: Array
    true: Array
    decimals: int

    @property
    def holds(self) -> bool:
        """True if both agree to the last printed digit."""
        unit = 10.0**-self.decimals
        return bool(np.all(np.abs(self.printed - self.true) <= 0.5 * unit * (1 + 1e-9)))


def claims() -> Iterator[Claim]:
    """Yield every number that can be checked, in the order of the documents."""
    yield from _four_words()
    yield from _scaling()
    yield from _exercises()
    yield from _three_tokens()


def _claim(document: int, what: str, printed: Any, true: Any, decimals: int) -> Claim:
    return Claim(document, what, np.asarray(printed, float), np.asarray(true, float), decimals)


def _four_words() -> Iterator[Claim]:
    """Yield the numbers of document 1, its sentence of four words."""
    rng = np.random.RandomState(42)
    x = rng.randn(4, 6)
    W_Q, W_K, W_V = (rng.randn(6, 4) * 0.5 for _ in range(3))
    Q, K, V = project_qkv(x, W_Q, W_K, W_V)
    raw = [
        [-0.622, -1.44, 0.889, 0.419],
        [0.388, 1.116, -0.422, -0.292],
        [-0.38, -1.289, 0.494, 0.198],
        [0.242, 0.359, -0.367, -0.074],
    ]
    scaled = [
        [-0.311, -0.72, 0.445, 0.21],
        [0.194, 0.558, -0.211, -0.146],
        [-0.19, -0.644, 0.247, 0.099],
        [0.121, 0.179, -0.184, -0.037],
    ]
    weights = [
        [0.187, 0.124, 0.399, 0.315],
        [0.277, 0.399, 0.184, 0.197],
        [0.192, 0.122, 0.297, 0.256],
        [0.265, 0.281, 0.196, 0.226],
    ]
    output = [
        [0.044, 0.313, -0.073, 0.279],
        [-0.045, 0.236, 0.018, 0.271],
        [0.04, 0.306, -0.049, 0.267],
        [-0.015, 0.263, -0.003, 0.27],
    ]
    masked = [
        [1.0, 0.0, 0.0, 0.0],
        [0.387, 0.613, 0.0, 0.0],
        [0.268, 0.171, 0.561, 0.0],
        [0.265, 0.281, 0.196, 0.226],
    ]
    scores = similarity_scores(Q, K)
    true_output, true_weights = scaled_dot_product_attention(Q, K, V)
    _, true_masked = causal_attention(Q, K, V)
    yield from _rows(1, "raw scores", raw, scores)
    yield from _rows(1, "scaled scores", scaled, scale_scores(scores, 4))
    yield from _rows(1, "weights", weights, true_weights)
    yield _claim(1, "sums of the printed weights' rows", [1.0] * 4, np.sum(weights, axis=-1), 3)
    yield from _rows(1, "output", output, true_output)
    yield from _rows(1, "weights with the causal mask", masked, true_masked)
    unscaled = attention_weights(Q * np.sqrt(4), K)
    yield _claim(
        1,
        "largest weight, unscaled and scaled",
        [0.5765, 0.399],
        [unscaled.max(), true_weights.max()],
        4,
    )
    late = np.where(causal_mask(4), 0.0, true_weights).sum(axis=-1)
    yield _claim(
        1, "row sums with the mask after the softmax", [0.187, 0.676, 0.611, 0.968], late, 3
    )


def _rows(document: int, what: str, printed: Any, true: Array) -> Iterator[Claim]:
    for number, (said, found) in enumerate(zip(printed, true, strict=True)):
        yield _claim(document, f"{what}, row {number}", said, found, 3)


def _scaling() -> Iterator[Claim]:
    """Yield the numbers of document 1, its experiment with growing vectors."""
    rng = np.random.RandomState(42)
    printed = {
        4: (0.3990, 0.5765),
        16: (0.3627, 0.8435),
        64: (0.3297, 0.9983),
        256: (0.2924, 1.0),
        512: (0.2886, 1.0),
    }
    for d_k, said in printed.items():
        Q, K = rng.randn(4, d_k), rng.randn(4, d_k)
        found = [attention_weights(Q, K).max(), attention_weights(Q * np.sqrt(d_k), K).max()]
        yield _claim(1, f"largest weight for d_k = {d_k}, scaled and unscaled", said, found, 4)


def _exercises() -> Iterator[Claim]:
    """Yield the expected outputs of the two exercises in document 1."""
    Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    K = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    said = [[0.432, 0.211, 0.357], [0.211, 0.432, 0.357], [0.304, 0.304, 0.392]]
    yield from _rows(1, "exercise 1, expected weights", said, attention_weights(Q, K))
    rng = np.random.RandomState(0)
    Q, K, V = (rng.randn(3, 2) for _ in range(3))
    said = [[1.0, 0.0, 0.0], [0.617, 0.383, 0.0], [0.2, 0.199, 0.601]]
    _, weights = causal_attention(Q, K, V)
    yield from _rows(1, "exercise 2, expected weights", said, weights)
    rng = np.random.RandomState(7)
    longer = rng.randn(7, 12)
    _, heads = multi_head_attention(longer, *init_multi_head(12, 3, rng), 3, causal_mask(7))
    yield _claim(1, "longer sentence, shape of the three heads", [3, 7, 7], heads.shape, 0)


def _three_tokens() -> Iterator[Claim]:
    """Yield the numbers of document 3, its example of three tokens."""
    x = np.array([[1.0, 0, 1, 0], [0, 2.0, 0, 2], [1.0, 1, 0, 0]])
    W_Q = np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]])
    W_K = np.array([[1.0, 1], [1, 0], [0, 1], [1, 0]])
    W_V = np.array([[1.0, 0], [0, 1], [1, 1], [0, 1]])
    Q, K, V = project_qkv(x, W_Q, W_K, W_V)
    yield _claim(3, "queries", [[2, 0], [0, 4], [1, 1]], Q, 4)
    yield _claim(3, "keys", [[1, 2], [4, 0], [2, 1]], K, 4)
    yield _claim(3, "values", [[2, 1], [0, 4], [1, 1]], V, 4)
    scores = [[1.4142, 5.6569, 2.8284], [5.6569, 0.0, 2.8284], [2.1213, 2.8284, 2.1213]]
    yield _claim(3, "scaled scores", scores, scale_scores(similarity_scores(Q, K), 2), 4)
    output, weights = causal_attention(Q, K, V)
    said = [[1.0, 0.0, 0.0], [0.9965, 0.0035, 0.0], [0.2483, 0.5035, 0.2483]]
    yield _claim(3, "causal weights", said, weights, 4)
    yield _claim(3, "output", [[2.0, 1.0], [1.993, 1.0104], [0.7448, 2.5105]], output, 4)


def markdown() -> str:
    """Return the whole file as Markdown."""
    lines = ["| document | what | printed | true | |", "|---|---|---|---|---|"]
    found = list(claims())
    for each in found:
        printed, true = (_numbers(values, each.decimals) for values in (each.printed, each.true))
        mark = "" if each.holds else "**differs**"
        lines.append(f"| {each.document} | {each.what} | {printed} | {true} | {mark} |")
    wrong = sum(not each.holds for each in found)
    lines += ["", f"{wrong} of {len(found)} rows differ."]
    return HEAD + "\n".join(lines) + "\n"


def _numbers(values: Array, decimals: int) -> str:
    shown = np.round(values, decimals) + 0.0  # adding 0.0 turns -0.0 into 0.0
    return np.array2string(shown, separator=" ", max_line_width=1000).replace("\n", "")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(TARGET.read_text(encoding="utf-8") != markdown())
    TARGET.write_text(markdown(), encoding="utf-8")
