"""Training of the small model on the page "Your own GPT", with NumPy alone.

    python scripts/train_tiny_gpt.py    # minutes; writes exercises/attention/own-gpt/weights.json

The model is that of the exercise `tiny-gpt`: pre-norm blocks with causal attention, GELU, and
logits from the embeddings. It reads and writes single characters. The grammar below generates its
text and was written for it, so that no one else has rights in it. The same NumPy and BLAS give the
same weights; another BLAS rounds differently.
"""  # noqa: INP001  a script, in no package

import argparse
import base64
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

TRACK = Path(__file__).parent.parent / "exercises" / "attention"
OUTPUT = TRACK / "own-gpt" / "weights.json"
SEED = 7
CONTEXT, WIDTH, HEADS, HIDDEN, BLOCKS = 96, 64, 4, 128, 2
BATCH, RATE, TALES, SAMPLE = 24, 3e-3, 2500, 5
EPS = 1e-5

NAMES = ["Mia", "Leo", "Zoe", "Sam", "Ida", "Tom", "Ana", "Ben"]
ANIMALS = ["fox", "owl", "hen", "cat", "bear", "mouse", "goat", "duck"]
PLACES = ["river", "hill", "mill", "lake", "forest", "sea", "garden", "well"]
THINGS = ["lamp", "key", "bell", "boat", "book", "ring", "drum", "map"]
COLOURS = ["red", "blue", "green", "small", "golden", "heavy"]
TIMES = ["morning", "evening", "winter day", "summer night", "rainy day"]

BEGINNINGS = [
    "{N} the {a} lived by the {p}. ",
    "By the {p} lived a {a}, and its name was {N}. ",
    "Once {N} the {a} came to the {p}. ",
]
FINDS = [
    "One {t} {N} found a {c} {x}. ",
    "One {t} a {c} {x} lay in the grass, and {N} took the {x} home. ",
    "One {t} {N} made a {c} {x}. ",
]
LOSSES = [
    "One {t} {N} lost a {c} {x}. ",
    "One {t} the {c} {x} of {N} was gone. ",
]
FOUND = [
    '"Is this {x} yours?" asked {N}. "No," said the {b}, "but it is a good {x}." ',
    '{N} gave the {x} to the {b}. "Thank you," said the {b}. ',
    '"What can I do with a {x}?" asked {N}. "Ask the {b}," said the wind. ',
    "The {b} saw the {x} and wanted it too. ",
]
LOST = [
    '"Who has seen my {x}?" asked {N}. "I have," said the {b}. ',
    "The {b} helped {N} to look for the {x}. ",
    '"Do not cry," said the {b}, "a {x} does not run away." ',
]
ENDINGS = [
    "So {N} and the {b} became friends.",
    "And {N} went home, tired and happy.",
    "And the {x} is still by the {p}.",
    "That night {N} and the {b} sang a song.",
    "Since then {N} has been a friend of the {b}.",
]

Arrays = dict[str, np.ndarray]


def write_tales(count: int, seed: int = SEED) -> str:
    """Generate tales, one per line."""
    draw = random.Random(seed)  # noqa: S311  no secret
    tales = []
    for _ in range(count):
        animal, friend = draw.sample(ANIMALS, 2)
        words = {
            "N": draw.choice(NAMES), "a": animal, "b": friend, "p": draw.choice(PLACES),
            "c": draw.choice(COLOURS), "x": draw.choice(THINGS), "t": draw.choice(TIMES),
        }  # fmt: skip
        middle = draw.choice([(FINDS, FOUND), (LOSSES, LOST)])
        forms = [draw.choice(each) for each in (BEGINNINGS, *middle, ENDINGS)]
        tales.append("".join(forms).format(**words))
    return "\n".join(tales) + "\n"


def begin(letters: int, draw: np.random.Generator) -> Arrays:
    """Return random weights before training."""
    matrices = {"E": (letters, WIDTH), "P": (CONTEXT, WIDTH)}
    for b in range(BLOCKS):
        matrices |= {f"{name}{b}": (WIDTH, WIDTH) for name in ("Q", "K", "V", "O")}
        matrices |= {f"W{b}": (WIDTH, HIDDEN), f"X{b}": (HIDDEN, WIDTH)}
    p = {name: draw.normal(0, 0.08, shape) for name, shape in matrices.items()}
    for b in range(BLOCKS):
        p |= {f"w{b}": np.zeros(HIDDEN), f"x{b}": np.zeros(WIDTH)}
    for norm in ("n", *(f"{name}{b}" for b in range(BLOCKS) for name in ("f", "s"))):
        p |= {f"{norm}g": np.ones(WIDTH), f"{norm}b": np.zeros(WIDTH)}
    return {name: value.astype(np.float32) for name, value in p.items()}


def loss_and_slopes(p: Arrays, x: np.ndarray, y: np.ndarray) -> tuple[float, Arrays]:
    """Return the cross-entropy of the next letters, and its gradient.

    Args:
        p: The weights.
        x: Letters, shape (b, n).
        y: The letters after them, of the same shape.
    """
    slopes: Arrays = {}
    n, d_k = x.shape[1], WIDTH // HEADS
    future = np.triu(np.ones((n, n), dtype=bool), k=1)
    z, kept = p["E"][x] + p["P"][:n], []
    for i in range(BLOCKS):
        a, back_first = _norm(p, f"f{i}", z)
        q, k, v = (_split(a @ p[f"{m}{i}"]) for m in "QKV")
        scores = np.where(future, np.float32(-1e9), q @ k.swapaxes(-1, -2) / np.float32(d_k**0.5))
        weights = _softmax(scores)
        heads = _merge(weights @ v)
        u = z + heads @ p[f"O{i}"]
        c, back_second = _norm(p, f"s{i}", u)
        hidden = c @ p[f"W{i}"] + p[f"w{i}"]
        active, slope = _gelu(hidden)
        kept.append((a, q, k, v, weights, heads, back_first, c, active, slope, back_second))
        z = u + active @ p[f"X{i}"] + p[f"x{i}"]
    last, back_last = _norm(p, "n", z)
    forecast = _softmax(last @ p["E"].T)
    right = np.take_along_axis(forecast, y[..., np.newaxis], axis=-1)
    loss = float(-np.log(right + 1e-12).mean())

    d_logits = forecast
    np.put_along_axis(d_logits, y[..., np.newaxis], right - 1, axis=-1)
    d_logits /= np.float32(y.size)
    slopes["E"] = _rows(d_logits).T @ _rows(last)
    d_z = back_last(d_logits @ p["E"], slopes)
    for i in reversed(range(BLOCKS)):
        a, q, k, v, weights, heads, back_first, c, active, slope, back_second = kept[i]
        slopes[f"X{i}"], slopes[f"x{i}"] = _rows(active).T @ _rows(d_z), _rows(d_z).sum(0)
        d_hidden = d_z @ p[f"X{i}"].T * slope
        slopes[f"W{i}"], slopes[f"w{i}"] = _rows(c).T @ _rows(d_hidden), _rows(d_hidden).sum(0)
        d_u = d_z + back_second(d_hidden @ p[f"W{i}"].T, slopes)
        slopes[f"O{i}"] = _rows(heads).T @ _rows(d_u)
        d_heads = _split(d_u @ p[f"O{i}"].T)
        d_weights = d_heads @ v.swapaxes(-1, -2)
        inner = (weights * d_weights).sum(axis=-1, keepdims=True)
        d_scores = weights * (d_weights - inner) / np.float32(d_k**0.5)
        d_a = np.zeros_like(a)
        for name, d in (
            ("Q", d_scores @ k),
            ("K", d_scores.swapaxes(-1, -2) @ q),
            ("V", weights.swapaxes(-1, -2) @ d_heads),
        ):
            merged = _merge(d)
            slopes[f"{name}{i}"] = _rows(a).T @ _rows(merged)
            d_a += merged @ p[f"{name}{i}"].T
        d_z = d_u + back_first(d_a, slopes)
    np.add.at(slopes["E"], x.ravel(), _rows(d_z))
    slopes["P"] = np.zeros_like(p["P"])
    slopes["P"][:n] = d_z.sum(axis=0)
    return loss, slopes


def _norm(p: Arrays, name: str, x: np.ndarray) -> tuple[np.ndarray, Any]:
    """Normalise the input; return it with a function for the backward pass."""
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(EPS))
    unit = centred / deviation

    def back(d: np.ndarray, slopes: Arrays) -> np.ndarray:
        slopes[f"{name}g"], slopes[f"{name}b"] = _rows(d * unit).sum(0), _rows(d).sum(0)
        d_unit = d * p[f"{name}g"]
        along = (d_unit * unit).mean(axis=-1, keepdims=True) * unit
        return (d_unit - d_unit.mean(axis=-1, keepdims=True) - along) / deviation

    return p[f"{name}g"] * unit + p[f"{name}b"], back


def _gelu(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return GELU in its tanh form, and its derivative."""
    factor = np.float32(np.sqrt(2 / np.pi))
    square = x * x
    t = np.tanh(factor * x * (1 + np.float32(0.044715) * square))
    inner = factor * (1 + np.float32(3 * 0.044715) * square)
    return x * (1 + t) / 2, (1 + t) / 2 + x * (1 - t * t) * inner / 2


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _split(x: np.ndarray) -> np.ndarray:
    return x.reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)


def _merge(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def _rows(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, x.shape[-1])


def train(steps: int, report: int = 0) -> tuple[str, Arrays, float]:
    """Return the letters, the weights and the last loss; Adam with a rate that decays to zero."""
    text = write_tales(TALES)
    letters = "".join(sorted(set(text)))
    tokens = np.array([letters.index(each) for each in text])
    draw = np.random.default_rng(SEED)
    p = begin(len(letters), draw)
    first = {name: np.zeros_like(value) for name, value in p.items()}
    second = {name: np.zeros_like(value) for name, value in p.items()}
    loss = 0.0
    for step in range(1, steps + 1):
        starts = draw.integers(0, len(tokens) - CONTEXT - 1, BATCH)
        window = tokens[starts[:, np.newaxis] + np.arange(CONTEXT + 1)]
        found, slopes = loss_and_slopes(p, window[:, :-1], window[:, 1:])
        loss = found if step == 1 else 0.98 * loss + 0.02 * found
        rate = RATE * min(1, step / 100) * (1 + np.cos(np.pi * step / steps)) / 2
        for name, slope in slopes.items():
            first[name] += 0.1 * (slope - first[name])
            second[name] += 0.01 * (slope * slope - second[name])
            m, v = first[name] / (1 - 0.9**step), second[name] / (1 - 0.99**step)
            p[name] -= (rate * m / (np.sqrt(v) + 1e-8)).astype(np.float32)
        if report and step % report == 0:
            print(f"step {step}: loss {loss:.4f}", flush=True)  # noqa: T201  for anyone who waits
    return letters, p, loss


def as_json(letters: str, p: Arrays) -> str:
    """Return the weights as JSON, two bytes each, and further data for the page.

    The sample is from tales outside of the training text. `follows` counts the runs of four letters
    in the training text, as a small model for drafts.
    """
    arrays = {
        name: [list(value.shape), base64.b64encode(value.astype("<f2").tobytes()).decode()]
        for name, value in p.items()
    }
    text = write_tales(TALES)
    follows = Counter(text[at : at + 4] for at in range(len(text) - 3))
    facts = {
        "letters": letters,
        "heads": HEADS,
        "blocks": BLOCKS,
        "sample": write_tales(SAMPLE, SEED + 1)[: 6 * CONTEXT + 1],
        "follows": dict(sorted(follows.items())),
        "arrays": arrays,
    }
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    words = parser.parse_args()
    made_letters, made, _ = train(words.steps, report=200)
    words.output.write_text(as_json(made_letters, made), encoding="utf-8")
