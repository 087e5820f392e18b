"""The page where the functions of a track, put together, are a small GPT."""

import json
from typing import Final

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
"""The exercises that ask for its functions, each with the function's name."""

MODEL: Final = "model.json"  # beside the page


def model_json() -> str:
    """Return the model as `grader.browser.own_gpt` reads it: program, parts, weights."""
    folder = data_folder("templates") / "own-gpt"
    weights = json.loads((folder / "weights.json").read_text("utf-8"))
    program = (folder / "program.py").read_text("utf-8")
    model = {"program": program, "parts": PARTS} | weights
    return json.dumps(model, ensure_ascii=False, separators=(",", ":"))
