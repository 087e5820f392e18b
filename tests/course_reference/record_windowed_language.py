"""Record the probabilities that PyTorch computes for a network that reads a window.

Run by hand where torch is installed: python tests/course_reference/record_windowed_language.py
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

CASES = Path(__file__).parent / "cases" / "windowed_language.json"


def case(windows: int, length: int, features: int, hidden: int, seed: int) -> dict[str, Any]:
    """Compute one case: random windows and weights, and the logarithms of probabilities."""
    rng = np.random.default_rng(seed)
    vocabulary = 5
    inputs = {
        "contexts": rng.integers(0, vocabulary, (windows, length)),
        "E": rng.standard_normal((vocabulary, features)).round(3),
        "W": rng.standard_normal((length * features, hidden)).round(3),
        "b": rng.standard_normal(hidden).round(3),
        "U": rng.standard_normal((hidden, vocabulary)).round(3),
    }
    tensors = {name: torch.tensor(array) for name, array in inputs.items()}
    embedded = torch.nn.functional.embedding(tensors["contexts"], tensors["E"]).flatten(1)
    hidden_layer = torch.tanh(torch.nn.functional.linear(embedded, tensors["W"].T, tensors["b"]))
    forecast = torch.log_softmax(hidden_layer @ tensors["U"], dim=1)
    return {
        **{name: array.tolist() for name, array in inputs.items()},
        "log_probabilities": forecast.tolist(),
    }


if __name__ == "__main__":
    shapes = [(2, 3, 2, 4), (1, 1, 3, 2), (4, 2, 1, 1)]
    cases = [case(*shape, seed) for seed, shape in enumerate(shapes)]
    recorded = {"computed_by": f"torch {version('torch')}", "cases": cases}
    CASES.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
