"""Export of a small part of scikit-learn's handwritten digits to `data/small-digits.npy`.

Run it in an environment with scikit-learn: python export_small_digits.py
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

IMAGES_PER_DIGIT = 40


def main() -> None:
    """Write the first images of each digit, in the order of the original set."""
    digits = load_digits()
    wanted = np.sort(
        np.concatenate([np.flatnonzero(digits.target == d)[:IMAGES_PER_DIGIT] for d in range(10)])
    )
    table = np.column_stack([digits.data[wanted], digits.target[wanted]]).astype(np.uint8)
    np.save(Path(__file__).parents[1] / "data" / "small-digits.npy", table)


if __name__ == "__main__":
    main()
