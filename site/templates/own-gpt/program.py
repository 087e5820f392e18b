"""Your own GPT: the functions that you wrote, put together."""

import inspect

import causal_attention
import gelu as gelu_
import layer_norm as layer_norm_
import numpy as np
import scrambled_heads
import split_heads as split_heads_
import temperature_sampling
import tiny_gpt
import top_k_top_p


class WrongResult(Exception):
    pass


def call(module, name, shape, *arguments):
    """Call a function of yours; its result must have this shape."""
    function = getattr(module, name, None)
    if function is None:
        raise WrongResult(name, None, list(shape))
    result = function(*arguments)
    if name == "apply_causal_attention" and isinstance(result, tuple):
        result, weights = result[0], result[-1]
        if np.shape(weights)[-1:] == shape[:1]:
            Text.weights.append(np.asarray(weights)[-1])
    found = list(result.shape) if isinstance(result, np.ndarray) else type(result).__name__
    if found != list(shape):
        raise WrongResult(name, found, list(shape))
    return result


def layer_norm(x, gain, bias):
    return call(layer_norm_, "layer_norm", x.shape, x, gain, bias)


def network(x, W1, b1, W2, b2):
    hidden = x @ W1 + b1
    return call(gelu_, "gelu", hidden.shape, hidden) @ W2 + b2


def attention(x, W_Q, W_K, W_V, W_O, heads, mask):
    n, d = x.shape
    shape = (heads, n, d // heads)
    Q, K, V = (call(split_heads_, "split_heads", shape, x @ W, heads) for W in (W_Q, W_K, W_V))
    found = [
        call(causal_attention, "apply_causal_attention", q.shape, q, k, v)
        for q, k, v in zip(Q, K, V)
    ]
    return call(scrambled_heads, "merge_heads", (n, d), np.stack(found)) @ W_O


# The helpers that came with the last exercise give way to what you wrote yourself.
for helper in (layer_norm, network, attention):
    given = getattr(tiny_gpt, helper.__name__, None)
    if callable(given) and str(inspect.signature(given)) == str(inspect.signature(helper)):
        setattr(tiny_gpt, helper.__name__, helper)


class Text:
    """The text so far, and the probabilities of the next character."""


def set_up(p, heads, blocks):
    """Keep the arrays of the model by name, in the form of the exercise `tiny-gpt`."""
    Text.heads = heads
    Text.parameters = (
        p["E"],
        p["P"],
        tuple(
            (
                tuple(p[f"{name}{b}"] for name in "QKVO"),
                (p[f"f{b}g"], p[f"f{b}b"]),
                (p[f"W{b}"], p[f"w{b}"], p[f"X{b}"], p[f"x{b}"]),
                (p[f"s{b}g"], p[f"s{b}b"]),
            )
            for b in range(blocks)
        ),
        (p["ng"], p["nb"]),
    )


def begin(tokens, seed):
    Text.tokens = tokens
    Text.rng = np.random.default_rng(seed)


def next_token(temperature, k):
    """Return a token, the probabilities that it was drawn with, and what each head looked at."""
    Text.weights = []
    E, P, _, _ = Text.parameters
    tokens = np.array(Text.tokens[-len(P) :])
    shape = (len(tokens), len(E))
    logits = call(tiny_gpt, "gpt", shape, tokens, Text.parameters, Text.heads)[-1]
    logits = call(top_k_top_p, "top_k_filter", logits.shape, logits, k)
    p = call(temperature_sampling, "token_probabilities", logits.shape, logits, temperature)
    sums = np.cumsum(p)
    token = int(np.searchsorted(sums, Text.rng.random() * sums[-1], side="right"))
    Text.tokens.append(min(token, len(p) - 1))
    return Text.tokens[-1], p, Text.weights
