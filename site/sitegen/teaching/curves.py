"""Scores and their softmax: the effect of the number of features, the scale and the temperature.

The scores are those of random queries and keys, drawn with NumPy. A page receives them in few
bytes, and `site/frontend/src/figures/curves-model.ts` computes the rest for its reader's settings.
"""

import base64
import math
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.lessons.figure import SIZES, Figure
from sitegen.teaching.toy import Array, softmax

QUERIES: Final = 96
KEYS: Final = 8
STEPS: Final = 20  # steps per standard deviation, the resolution of the scores on a page

# The drawings: scores from -LIMIT to LIMIT in bars of width 1, and a bar for each key.
LIMIT: Final = 32
HEIGHT: Final = 120  # height of the highest bar

_SATURATED: Final = 0.72  # mean largest weight from which a softmax counts as saturated
_EVEN: Final = 1.6 / KEYS


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of a softmax's weights; `weights` has shape (QUERIES, KEYS)."""

    scores: Array
    weights: Array

    @property
    def spread(self) -> float:
        """The standard deviation of the scores."""
        return float(self.scores.std())

    @property
    def peak(self) -> float:
        """The largest weight of a query, averaged over queries."""
        return float(self.weights.max(axis=-1).mean())

    @property
    def slope(self) -> float:
        """The mean derivative of a weight by its score."""
        return float((self.weights * (1 - self.weights)).mean())


def view_curves(figure: Figure) -> dict[str, Any]:
    """Compute the first state."""
    d_k = int(figure.get("d_k", "64"))
    temperature = float(figure.get("temperature", "1"))
    scale = figure.is_on("scale", default=False)
    size = SIZES.index(str(d_k))
    measures = measure_scores(size, scale=scale, temperature=temperature)
    return {
        "size": size,  # an index into SIZES
        "sizes": len(SIZES),
        "d_k": d_k,
        "temperature": temperature,
        "exponent": round(math.log2(temperature), 1),  # the slider moves in powers of two
        "scale": scale,
        "measures": measures,
        "bars": bar_heights(measures.scores),
        "shares": measures.weights[0].tolist(),  # the shares of the first query
        "sentence": describe_curves(measures),
        "is_saturated": measures.peak >= _SATURATED,
        "data": base64.b64encode(_draw_scores().tobytes()).decode(),  # the scores, one byte each
        "height": HEIGHT,
    }


def measure_scores(size: int, *, scale: bool, temperature: float) -> Measures:
    """Return the scores for a number of features, with their softmax.

    Args:
        size: An index into `SIZES`.
        scale: True to divide by the root of the number of features.
        temperature: An additional divisor.
    """
    root = 1 if scale else math.sqrt(int(SIZES[size]))
    scores = _draw_scores()[size] / STEPS * root / temperature
    return Measures(scores, softmax(scores))


def bar_heights(scores: Array) -> tuple[float, ...]:
    """Return the heights of the bars: the number of scores in each, scaled to HEIGHT at most."""
    counts = np.histogram(scores, bins=np.arange(-LIMIT, LIMIT + 1))[0]
    heights = counts / max(1, counts.max()) * HEIGHT
    return tuple(heights.round(1).tolist())


def describe_curves(measures: Measures) -> str:
    """Describe the numbers in a sentence."""
    spread, slope = f"{measures.spread:.1f}", f"{measures.slope:.3f}"
    peak = f"{math.floor(100 * measures.peak + 0.5)}%"
    numbers = f"the scores spread by {spread}, the largest share is {peak} on average"
    if measures.peak >= _SATURATED:
        return f"Saturated: {numbers}, and the slope is only {slope}. Little can be learned."
    if measures.peak < _EVEN:
        return f"Nearly even: {numbers}. No key is told from another."
    return f"In between: {numbers}, and the slope is {slope}. Training can move the weights."


@cache
def _draw_scores() -> npt.NDArray[np.int8]:
    """Return scores divided by the root of their features, in steps, shape (sizes, QUERIES, KEYS).

    A larger number of features continues the same random walk, so the first features stay the same.
    """
    rng = np.random.default_rng(3)
    largest_size = int(SIZES[-1])
    q = rng.standard_normal((QUERIES, 1, largest_size))
    K = rng.standard_normal((QUERIES, KEYS, largest_size))
    walks = np.cumsum(q * K, axis=-1)
    sizes = np.array([int(size) for size in SIZES])
    scores = np.moveaxis(walks[..., sizes - 1] / np.sqrt(sizes), -1, 0)
    steps: npt.NDArray[np.int8] = np.clip(np.round(scores * STEPS), -127, 127).astype(np.int8)
    return steps
