"""Write `data/iris.csv` from the copy of Fisher's irises that scikit-learn ships.

Run by hand, where scikit-learn is installed:

    python courses/learning-from-data/scripts/export_iris.py
"""

from pathlib import Path

from sklearn.datasets import load_iris

HEADER = "sepal_length,sepal_width,petal_length,petal_width,species"


def main() -> None:
    """Write one line for each flower: four lengths in cm, and 0, 1 or 2 for the species."""
    irises = load_iris()
    lines = [HEADER]
    for lengths, species in zip(irises.data, irises.target, strict=True):
        lines.append(",".join([*(f"{length:.1f}" for length in lengths), str(species)]))
    target = Path(__file__).parents[1] / "data" / "iris.csv"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
