"""Recorder of convolution and pooling in SciPy and PyTorch, for `test_image_layers.py`.

Run it in an environment with both: python record_image_layers.py
"""

import json
from pathlib import Path

import numpy as np
import scipy
import torch
from scipy.signal import correlate2d
from torch.nn import functional


def main() -> None:
    """Write a padded convolution, one channel of SciPy, and the gradient of a max pooling."""
    rng = np.random.default_rng(13)
    images = rng.standard_normal((2, 3, 5, 4)).round(2)
    kernels = rng.standard_normal((4, 3, 3, 2)).round(2)
    bias = rng.standard_normal(4).round(2)
    convolved = functional.conv2d(
        torch.tensor(images), torch.tensor(kernels), torch.tensor(bias), padding=1
    )
    plane = correlate2d(images[0, 0], kernels[0, 0], mode="valid")

    ties = np.maximum(rng.integers(-3, 3, (2, 4, 6)), 0).astype(float)
    d_output = rng.standard_normal((2, 2, 3)).round(2)
    leaf = torch.tensor(ties, requires_grad=True)
    functional.max_pool2d(leaf[:, None], 2)[:, 0].backward(torch.tensor(d_output))
    record = {
        "source": f"PyTorch {torch.__version__}, SciPy {scipy.__version__}",
        "images": images.tolist(),
        "kernels": kernels.tolist(),
        "bias": bias.tolist(),
        "convolved": convolved.tolist(),
        "plane": plane.tolist(),
        "ties": ties.tolist(),
        "d_output": d_output.tolist(),
        "pool_gradient": leaf.grad.tolist(),
    }
    path = Path(__file__).parent / "cases" / "image_layers.json"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
