"""Recorder of slopes that PyTorch computes, for `test_scalar_graph.py`.

Run it in an environment with PyTorch: python record_scalar_graph.py
"""

import json
from pathlib import Path

import torch

NUMBERS = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5], [-2.0, -0.25, 1.0]]


def main() -> None:
    """Write the slopes of one small computation at three places."""
    cases = []
    for numbers in NUMBERS:
        a, b, c = (torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers)
        d = a * b + c
        e = (d * d + 2 * a).relu()
        f = e * d + (b * c).relu() + 3
        f.backward()
        cases.append({"numbers": numbers, "slopes": [v.grad.item() for v in (a, b, c)]})
    record = {"source": f"PyTorch {torch.__version__}", "cases": cases}
    path = Path(__file__).parent / "cases" / "scalar_graph.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
