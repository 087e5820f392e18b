"""Recorder of optimisers and schedules of PyTorch, for `test_step_rules.py`.

Run it in an environment with PyTorch: python record_step_rules.py
"""

import json
from pathlib import Path

import torch

START, STEEPNESS = [1.0, -2.0, 0.5], [1.0, 0.3, 4.0]


def walk(kind: type[torch.optim.Optimizer], **settings: float) -> list[list[float]]:
    """Return five places on the way down a bowl."""
    w = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    steepness = torch.tensor(STEEPNESS, dtype=torch.float64)
    optimizer = kind([w], **settings)
    places = [w.tolist()]
    for _ in range(4):
        optimizer.zero_grad()
        (steepness * w**2 / 2).sum().backward()
        optimizer.step()
        places.append(w.tolist())
    return places


def rates() -> list[float]:
    """Return the rates of a warm-up of 4 steps to 0.8, then a cosine down to 0.1 at step 12."""
    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.8)
    schedulers = torch.optim.lr_scheduler
    plan = schedulers.SequentialLR(
        optimizer,
        [
            schedulers.LinearLR(optimizer, start_factor=1 / 4, total_iters=3),
            schedulers.CosineAnnealingLR(optimizer, T_max=8, eta_min=0.1),
        ],
        milestones=[4],
    )
    result = []
    for _ in range(13):
        result.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        plan.step()
    return result


def main() -> None:
    """Write both walks and the rates."""
    record = {
        "source": f"PyTorch {torch.__version__}",
        "start": START,
        "steepness": STEEPNESS,
        "momentum": walk(torch.optim.SGD, lr=0.2, momentum=0.6),
        "adam": walk(torch.optim.Adam, lr=0.3),
        "rates": rates(),
    }
    path = Path(__file__).parent / "cases" / "step_rules.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
