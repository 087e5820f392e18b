"""The dot products of one position with all others, which depend only on the distance."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from grader.lessons.figure import POSITIONS, Figure

D_MODEL: Final = 16
FAR_STEPS: Final = 5  # the distance that the sentence calls far


def view_positions(figure: Figure) -> dict[str, Any]:
    """Compute the products of the position that the author named."""
    position = int(float(figure.get("position", "8")))
    numbers = products(position)
    return {
        "position": position,
        "products": numbers,
        "sentence": describe_products(position, numbers),
        "last": POSITIONS - 1,
    }


def products(position: int) -> tuple[float, ...]:
    """Return the dot product of a position's vector with that of each position."""
    # Sines and cosines as in the lesson, shape (POSITIONS, D_MODEL).
    speeds = 10000.0 ** (-np.arange(0, D_MODEL, 2) / D_MODEL)
    angles = np.outer(np.arange(POSITIONS), speeds)
    P = np.empty((POSITIONS, D_MODEL))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return tuple((P @ P[position]).tolist())


def describe_products(position: int, row: Sequence[float]) -> str:
    """Describe in a sentence how the products fall with the distance."""

    def at(distance: int) -> str:
        there = position + distance
        return f"{row[there if there < len(row) else position - distance]:.2f}"

    return (
        f"Position {position}: its product with itself is {at(0)}, one step away {at(1)}, "
        f"{FAR_STEPS} steps away {at(FAR_STEPS)}. Move it: these numbers stay, since only the "
        "distance counts."
    )
