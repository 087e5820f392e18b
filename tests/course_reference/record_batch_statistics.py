"""Recorder of batch normalisation in PyTorch, for `test_batch_statistics.py`.

Run it in an environment with PyTorch: python record_batch_statistics.py
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional


def main() -> None:
    """Write outputs and running numbers in training and in use."""
    rng = np.random.default_rng(12)
    n, d = 6, 3
    given = {
        "x": rng.normal(1.0, 2.0, (n, d)).round(3),
        "gain": rng.uniform(0.5, 2.0, d).round(3),
        "bias": rng.standard_normal(d).round(3),
        "running_mean": rng.standard_normal(d).round(3),
        "running_variance": rng.uniform(0.5, 2.0, d).round(3),
    }
    cases = []
    for training in (True, False):
        x, gain, bias, mean, variance = (torch.tensor(v) for v in given.values())
        outputs = functional.batch_norm(
            x, mean, variance, gain, bias, training=training, momentum=0.3, eps=0.01
        )
        cases.append(
            {
                "training": training,
                "outputs": outputs.tolist(),
                "mean": mean.tolist(),  # changed in place
                "variance": variance.tolist(),
            }
        )
    record = {
        "source": f"PyTorch {torch.__version__}",
        "given": {name: value.tolist() for name, value in given.items()},
        "momentum": 0.3,
        "eps": 0.01,
        "cases": cases,
    }
    path = Path(__file__).parent / "cases" / "batch_statistics.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
