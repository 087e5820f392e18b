"""Record the states and the gradient that PyTorch computes for a recurrent network.

Run by hand where torch is installed: python tests/course_reference/record_recurrent_states.py
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

CASES = Path(__file__).parent / "cases" / "recurrent_states.json"


def case(steps: int, features: int, size: int, seed: int) -> dict[str, Any]:
    """Compute one case: random inputs, all states, and the gradient of a loss of the last one."""
    rng = np.random.default_rng(seed)
    inputs = {
        "X": rng.standard_normal((steps, features)).round(3),
        "W": rng.standard_normal((features, size)).round(3),
        "R": rng.standard_normal((size, size)).round(3),
        "b": rng.standard_normal(size).round(3),
        "start": rng.uniform(-0.9, 0.9, size).round(3),
        "d_last": rng.standard_normal(size).round(3),
    }
    network = torch.nn.RNN(features, size, nonlinearity="tanh", dtype=torch.float64)
    with torch.no_grad():
        network.weight_ih_l0.copy_(torch.tensor(inputs["W"].T))
        network.weight_hh_l0.copy_(torch.tensor(inputs["R"].T))
        network.bias_ih_l0.copy_(torch.tensor(inputs["b"]))
        network.bias_hh_l0.zero_()
    states, _ = network(torch.tensor(inputs["X"]), torch.tensor(inputs["start"])[None])
    (states[-1] * torch.tensor(inputs["d_last"])).sum().backward()
    return {
        **{name: array.tolist() for name, array in inputs.items()},
        "states": states.tolist(),
        "d_R": network.weight_hh_l0.grad.T.tolist(),
    }


if __name__ == "__main__":
    shapes = [(1, 2, 3), (4, 3, 2), (9, 1, 1)]
    cases = [case(*shape, seed) for seed, shape in enumerate(shapes)]
    recorded = {"computed_by": f"torch {version('torch')}", "cases": cases}
    CASES.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
