"""Recorder of a small network's loss, gradients and training in PyTorch, for `test_dense_network.py`.

Run it in an environment with PyTorch: python record_dense_network.py
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

RATE, EPOCHS, BATCH = 0.3, 2, 4


def main() -> None:
    """Write inputs, the loss, its gradients, and the parameters after two epochs."""
    rng = np.random.default_rng(11)
    n, d, h, c = 7, 3, 5, 4
    x, labels = rng.standard_normal((n, d)).round(3), rng.integers(0, c, n)
    parameters = [rng.standard_normal(s).round(3) for s in ((d, h), (h,), (h, c), (c,))]
    tensors = [torch.tensor(p, requires_grad=True) for p in parameters]
    inputs, classes = torch.tensor(x), torch.tensor(labels)

    def loss_of(part: slice) -> torch.Tensor:
        W1, b1, W2, b2 = tensors
        logits = functional.relu(inputs[part] @ W1 + b1) @ W2 + b2
        return functional.cross_entropy(logits, classes[part])

    loss = loss_of(slice(None))
    gradients = torch.autograd.grad(loss, tensors)
    optimizer = torch.optim.SGD(tensors, lr=RATE)
    for _ in range(EPOCHS):
        for start in range(0, n, BATCH):
            optimizer.zero_grad()
            loss_of(slice(start, start + BATCH)).backward()
            optimizer.step()
    record = {
        "source": f"PyTorch {torch.__version__}",
        "x": x.tolist(),
        "labels": labels.tolist(),
        "parameters": [p.tolist() for p in parameters],
        "loss": loss.item(),
        "gradients": [g.tolist() for g in gradients],
        "rate": RATE,
        "epochs": EPOCHS,
        "batch": BATCH,
        "trained": [t.tolist() for t in tensors],
    }
    path = Path(__file__).parent / "cases" / "dense_network.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
