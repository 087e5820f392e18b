"""The page on which the functions of a track form a small GPT."""

import json
from collections.abc import Mapping
from typing import Any, Final

from sitegen.package_data import data_folder

PARTS: Final = {
    "split-heads": "split_heads",
    "causal-attention": "apply_causal_attention",
    "scrambled-heads": "merge_heads",
    "layer-norm": "layer_norm",
    "gelu": "gelu",
    "tiny-gpt": "gpt",
    "top-k-top-p": "top_k_filter",
    "temperature-sampling": "token_probabilities",
}
"""The exercises that ask for the model's functions, with the function's name."""

SWITCHES: Final = {
    "key-value-cache": "CachedAttention",
    "int8-quantization": "quantize",
    "speculative-decoding": "check_draft",
}
"""The exercises for optional features, in tracks that a site may lack."""

MISTAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "split-heads": ("reshaped-at-once", "dealt-like-cards"),
    "causal-attention": ("no-mask", "unscaled", "mask-multiplied", "softmax-over-the-queries"),
    "scrambled-heads": ("still-scrambled", "all-axes-reversed"),
    "layer-norm": ("mean-of-each-feature", "divides-by-the-variance"),
    "gelu": ("relu", "x-missing", "one-missing"),
    "tiny-gpt": ("positions-forgotten", "post-norm", "no-residuals"),
    "top-k-top-p": ("worst-k",),
    "temperature-sampling": ("multiplied",),
    "key-value-cache": ("nothing-remembered", "remembers-only-the-last-piece", "unscaled"),
    "int8-quantization": ("not-negative", "difference-of-int8", "zero-point-scaled-not"),
    "speculative-decoding": ("replaced-from-q", "replaced-from-p", "goes-on-after-a-rejection"),
}
"""Misconceptions, by exercise, that keep all shapes but spoil the text."""

MODEL: Final = "model.json"  # a file beside the page
RECORD: Final = "record.json"  # a file beside the page with the text written at build time
SETTINGS: Final[Mapping[str, Any]] = {
    "prompt": "Mia the ",
    "temperature": 0.6,
    "top_k": 10,
    "seed": 1,
}


def model_json(programs: Mapping[str, Mapping[str, str]]) -> str:
    """Return the model as `grader.browser.own_gpt` reads it: program, parts, weights.

    Args:
        programs: The programs that the page may have, by exercise: "reference", and some mistakes.
    """
    folder = data_folder("templates") / "own-gpt"
    weights = json.loads((folder / "weights.json").read_text("utf-8"))
    program = (folder / "program.py").read_text("utf-8")
    model = {"program": program, "parts": PARTS | SWITCHES, "programs": programs} | weights
    return json.dumps(model, ensure_ascii=False, separators=(",", ":"))
