"""The functions that a learner's own GPT is made of."""

from typing import Final

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
"""The exercises that ask for them, each with the function's name."""
