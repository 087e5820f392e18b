"""Figures whose numbers a reader changes by sliders: scores with shares, and two arrows."""

from typing import Any

import numpy as np

from grader.lessons.figure import Figure


def view_sliders(figure: Figure) -> dict[str, Any]:
    """Compute the first state; only `shares` has bars with name, score and share."""
    pairs = [text.rsplit(maxsplit=1) for text in figure.items("scores")]
    scores = np.array([float(score) for _, score in pairs])
    powers = np.exp(scores)
    names = (name for name, _ in pairs)
    shares = (powers / powers.sum()).tolist()
    return {"bars": list(zip(names, scores.tolist(), shares, strict=True))}
