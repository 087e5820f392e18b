"""Cases of patches, filters, gradients, schedules and preference losses, computed by PyTorch.

Everything is float64, and all axes of a case have different sizes. If PyTorch lacks a function, the
paper's formula is written in PyTorch and differentiated by it.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import torch  # needed only for recording
from numpy.typing import NDArray
from torch.nn import functional

Arrays: TypeAlias = dict[str, NDArray[Any]]
Cases: TypeAlias = Iterator[tuple[str, Arrays, Arrays]]


def record_patches() -> Cases:
    images = np.random.default_rng(1).standard_normal((2, 6, 9, 4))
    # PyTorch's unfold expects channels first, and returns a patch's channels first.
    channels_first = torch.from_numpy(images).permute(0, 3, 1, 2)
    unfolded = functional.unfold(channels_first, kernel_size=3, stride=3)  # (2, 4 * 9, 6)
    patches = unfolded.reshape(2, 4, 9, 6).permute(0, 3, 2, 1).reshape(2, 6, 36)
    yield "patches", {"images": images}, {"patches": patches.numpy()}


def record_fused_swiglu() -> Cases:
    rng = np.random.default_rng(2)
    shapes = {"x": (2, 3, 5), "gain": (5,), "W_in": (5, 14), "W_down": (7, 5)}
    inputs = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    x, gain, W_in, W_down = (torch.from_numpy(value) for value in inputs.values())
    gate, up = (functional.rms_norm(x, (5,), gain, eps=1e-5) @ W_in).chunk(2, dim=-1)
    yield "fused_swiglu", inputs, {"output": ((functional.silu(gate) * up) @ W_down).numpy()}


def record_clipping() -> Cases:
    rng = np.random.default_rng(3)
    inputs = {"W": rng.standard_normal((3, 4)), "b": rng.standard_normal(5)}
    for name, limit in (("clipped", 1.5), ("short_enough", 99.0)):
        parameters = [torch.zeros(value.shape, dtype=torch.float64) for value in inputs.values()]
        for parameter, value in zip(parameters, inputs.values(), strict=True):
            parameter.grad = torch.from_numpy(value.copy())
        norm = torch.nn.utils.clip_grad_norm_(parameters, limit)
        W, b = (parameter.grad.numpy() for parameter in parameters)
        yield name, inputs | {"limit": np.asarray(limit)}, {"W": W, "b": b, "norm": norm.numpy()}


def record_accumulation() -> Cases:
    """Record the mean loss of all tokens, and the mean losses of batches of 2, 5 and 1 tokens."""
    rng = np.random.default_rng(4)
    x, targets = rng.standard_normal((8, 3)), rng.integers(0, 4, 8)
    W = torch.from_numpy(rng.standard_normal((3, 4))).requires_grad_()

    def gradient(rows: slice) -> NDArray[Any]:
        logits = torch.from_numpy(x[rows]) @ W
        loss = functional.cross_entropy(logits, torch.from_numpy(targets[rows]))
        return torch.autograd.grad(loss, W)[0].numpy()  # type: ignore[no-any-return]  # torch has no types here

    parts = [slice(0, 2), slice(2, 7), slice(7, 8)]
    yield (
        "accumulated",
        {"gradients": np.stack([gradient(rows) for rows in parts]), "counts": np.array([2, 5, 1])},
        {"gradient": gradient(slice(0, 8))},
    )


def record_warm_up_cosine() -> Cases:
    """Record a schedule; PyTorch counts steps from 0 and begins at a share of the peak."""
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.4)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1 / 5, total_iters=4)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12, eta_min=0.1)
    plan = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm_up, cosine], milestones=[4])
    rates = []
    for _ in range(17):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        plan.step()
    yield "warm_up_cosine", {"steps": np.arange(1, 18)}, {"rates": np.array(rates)}


def record_dpo() -> Cases:
    rng = np.random.default_rng(5)
    policy, frozen = -rng.exponential(2.0, (2, 3, 2, 5))
    is_answer = rng.random((3, 2, 5)) < 0.6
    tensor = torch.from_numpy(policy).requires_grad_()
    sums = ((tensor - torch.from_numpy(frozen)) * torch.from_numpy(is_answer)).sum(-1)  # (3, 2)
    margins = 0.3 * (sums[:, 0] - sums[:, 1])
    loss = -functional.logsigmoid(margins).mean()
    yield (
        "dpo",
        {"policy": policy, "frozen": frozen, "is_answer": is_answer},
        {
            "margins": margins.detach().numpy(),
            "loss": loss.detach().numpy(),
            "gradient": torch.autograd.grad(loss, tensor)[0].numpy(),
        },
    )


def record_policy_loss() -> Cases:
    rng = np.random.default_rng(6)
    old = -rng.exponential(2.0, (3, 4, 5))
    new = old + 0.3 * rng.standard_normal(old.shape)
    rewards = rng.integers(0, 4, (3, 4)).astype(np.float64)
    is_answer = np.arange(5) < rng.integers(1, 6, (3, 4, 1))
    values = torch.from_numpy(rewards)
    deviation = values.std(-1, correction=0, keepdim=True)
    advantages = (values - values.mean(-1, keepdim=True)) / (deviation + 1e-4)
    tensor, counted = torch.from_numpy(new).requires_grad_(), torch.from_numpy(is_answer)
    ratio = (tensor - torch.from_numpy(old)).exp()
    A = advantages[..., None]
    gain = torch.min(ratio * A, ratio.clamp(0.8, 1.2) * A) * counted
    loss = -(gain.sum(-1) / counted.sum(-1)).mean()
    yield (
        "policy_loss",
        {"new": new, "old": old, "rewards": rewards, "is_answer": is_answer},
        {
            "advantages": advantages.numpy(),
            "loss": loss.detach().numpy(),
            "gradient": torch.autograd.grad(loss, tensor)[0].numpy(),
        },
    )
