"""Wrong programs in another style than the solutions, made from right ones by replacing text.

They are kept apart from the exercises' misconceptions, which the diagnosis knows. Each says by which
ids a diagnosis names its mistake rightly: of misconceptions, of mutation operators, or of rules.
"""

# ruff: noqa: E501  a replacement reads best in one line

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Category: TypeAlias = Literal[
    "one", "two", "constant", "rounded", "unused", "helper", "floor", "change"
]
"""The kind of mistake: of category `change` are those that are one step from the right program."""


_MOST_PAIRS = 8  # of one program


@dataclass(frozen=True, slots=True)
class Fault:
    """A replacement of text that makes a right program wrong."""

    old: str
    new: str
    named_by: frozenset[str]


@dataclass(frozen=True, slots=True)
class Right:
    """A right program, and what makes it wrong."""

    exercise: str
    source: str
    faults: Mapping[Category, tuple[Fault, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong program, and the ids that name its mistake."""

    exercise: str
    category: Category
    change: str
    source: str
    named_by: frozenset[str]
    right: str = ""  # the program that was made wrong


def wrong_programs() -> Iterator[Wrong]:
    """Yield all wrong programs.

    Raises:
        ValueError: a text to be replaced does not occur.
    """
    for right in PROGRAMS:
        for category, faults in right.faults.items():
            for fault in faults:
                change = f"{fault.old!r} -> {fault.new!r}"
                source = _replaced(right.source, fault)
                yield Wrong(right.exercise, category, change, source, fault.named_by, right.source)
        pairs = [
            (one, other)
            for one, other in itertools.combinations(right.faults.get("one", ()), 2)
            if _are_apart(right.source, one, other)
        ]
        step = -(-len(pairs) // _MOST_PAIRS) or 1
        for one, other in pairs[::step]:
            source = _replaced(_replaced(right.source, one), other)
            change = f"{one.old!r} -> {one.new!r}, {other.old!r} -> {other.new!r}"
            named_by = one.named_by | other.named_by
            yield Wrong(right.exercise, "two", change, source, named_by, right.source)


def _replaced(source: str, fault: Fault) -> str:
    if fault.old not in source:
        raise ValueError(f"{fault.old!r} does not occur")
    return source.replace(fault.old, fault.new)


def _are_apart(source: str, one: Fault, other: Fault) -> bool:
    """Return whether two replacements do not touch each other."""
    after = source.replace(one.old, one.new)
    before = source.replace(other.old, other.new)
    return (
        other.old in after
        and one.old in before
        and after.count(other.old) == source.count(other.old)
        and before.count(one.old) == source.count(one.old)
    )


def _fault(old: str, new: str, named_by: str) -> Fault:
    return Fault(old, new, frozenset(named_by.split()))


_OWN_SOFTMAX = """\
import numpy as np


def softmax(z):
    grown = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)


"""
_OWN_SOFTMAX_FAULTS = (
    _fault(" - np.max(z, axis=-1, keepdims=True)", "", "own-helper no-shift softmax-overflows drop-max-subtraction"),
    _fault("np.sum(grown, axis=-1, keepdims=True)", "np.sum(grown)", "own-helper whole-sum softmax-over-the-whole-matrix axis-dropped"),
    _fault("axis=-1", "axis=-2", "own-helper softmax-over-the-queries other-axis"),
    _fault("np.sum(grown, axis=-1, keepdims=True)", "np.sum(np.abs(z), axis=-1, keepdims=True)", "own-helper"),
    _fault("grown = np.exp(", "grown = 2.0 ** (", "own-helper number"),
    _fault("np.max(z", "np.mean(z", "own-helper mean-subtracted other-reduction"),
    _fault("grown / np.sum(grown, axis=-1, keepdims=True)", "z / np.sum(z, axis=-1, keepdims=True)", "own-helper no-exponentials"),
)  # fmt: skip

PROGRAMS: Final[tuple[Right, ...]] = (
    Right(
        "attention-weights",
        """\
import numpy as np

def compute_attention_weights(Q, K):
    width = Q.shape[1]
    scores = np.einsum("id,jd->ij", Q, K)
    scores = scores / width ** 0.5
    top = np.max(scores, axis=1)[:, None]
    weights = np.exp(scores - top)
    return weights / np.sum(weights, axis=1)[:, None]
""",
        {
            "change": (
                _fault("Q.shape[1]", "Q.shape[1] - 1", "one-off"),
                _fault("scores / width", "scores + width", "operator unscaled"),
                _fault("top = np.max(scores, axis=1)[:, None]", "top = np.max(scores)", "axis"),
                _fault("Q.shape[1]", "len(Q) + 1", "scaled-by-the-number-of-queries"),
                _fault("weights / np.sum", "np.sort(weights) / np.sum", "order"),
            ),
            "one": (
                _fault("scores = scores / width ** 0.5\n", "\n", "unscaled"),
                _fault("width ** 0.5", "width", "scaled-by-d-k"),
                _fault("Q.shape[1]", "Q.shape[0]", "scaled-by-the-number-of-queries"),
                _fault("Q.shape[1]", "K.shape[0]", "scaled-by-the-number-of-keys"),
                _fault("scores - top", "scores", "softmax-overflows"),
                _fault("np.sum(weights, axis=1)[:, None]", "np.sum(weights)", "softmax-over-the-whole-matrix axis"),
                _fault('"id,jd->ij", Q, K', '"id,jd->ij", K, Q', "keys-by-queries"),
                _fault("scores / width", "scores * width", "multiply-for-divide"),
            ),
            "constant": (
                _fault("width ** 0.5", "2.0", "number unused"),
                _fault("width ** 0.5", "width ** 0.25", "number"),
                _fault("np.sum(weights, axis=1)[:, None]", "(np.sum(weights, axis=1)[:, None] + 0.01)", "number epsilon-added"),
            ),
            "rounded": (
                _fault("weights / np.sum(weights, axis=1)[:, None]", "np.round(weights / np.sum(weights, axis=1)[:, None], 2)", "rounded"),
                _fault("weights / np.sum(weights, axis=1)[:, None]", "(weights / np.sum(weights, axis=1)[:, None]).round(4)", "rounded"),
                _fault("scores = scores / width ** 0.5", "scores = np.around(scores / width ** 0.5, 1)", "rounded"),
            ),
            "floor": (
                _fault("scores / width", "scores // width", "floor-division"),
                _fault("width ** 0.5", "int(width ** 0.5)", "cut"),
            ),
        },
    ),
    Right(
        "attention-weights",
        _OWN_SOFTMAX
        + """\
def compute_attention_weights(Q, K):
    scaled = np.dot(Q, K.T) / np.sqrt(K.shape[-1])
    return softmax(scaled)
""",
        {"helper": _OWN_SOFTMAX_FAULTS},
    ),
    Right(
        "stable-softmax",
        """\
import numpy as np

def softmax(x, axis=-1):
    peak = np.amax(x, axis=axis, keepdims=True)
    grown = np.exp(np.subtract(x, peak))
    total = np.sum(grown, axis=axis, keepdims=True)
    return np.divide(grown, total)
""",
        {
            "change": (
                _fault("np.divide(grown, total)", "np.divide(total, grown)", "swap-operands exchanged"),
                _fault("total = np.sum(grown, axis=axis, keepdims=True)", "total = np.sum(grown)", "axis whole-sum drop-axis"),
                _fault("peak = np.amax(x, axis=axis, keepdims=True)", "peak = np.amax(x)", "axis whole-maximum global-maximum"),
            ),
            "one": (
                _fault("np.subtract(x, peak)", "x", "no-shift unused"),
                _fault("np.amax(x, axis=axis, keepdims=True)", "np.amax(x)", "whole-maximum"),
                _fault("np.sum(grown, axis=axis, keepdims=True)", "np.sum(grown)", "whole-sum"),
                _fault("axis=axis", "axis=-1", "axis-ignored unused"),
                _fault("np.amax", "np.mean", "mean-subtracted"),
                _fault("np.exp(np.subtract(x, peak))", "np.subtract(x, peak)", "no-exponentials drop-call"),
            ),
            "constant": (
                _fault("np.subtract(x, peak)", "np.clip(x, -20, 20)", "clipped"),
                _fault("np.subtract(x, peak)", "np.clip(x, -300, 300)", "clipped"),
                _fault("np.subtract(x, peak)", "np.minimum(x, 50)", "clipped unused"),
                _fault("np.divide(grown, total)", "np.divide(grown, total + 1e-3)", "number epsilon-added"),
            ),
            "rounded": (
                _fault("np.divide(grown, total)", "np.round(np.divide(grown, total), 4)", "rounded"),
                _fault("np.divide(grown, total)", "np.round(np.divide(grown, total), 6)", "rounded"),
                _fault("np.exp(np.subtract(x, peak))", "np.exp(np.subtract(x, peak)).round(3)", "rounded"),
            ),
            "floor": (_fault("np.divide(grown, total)", "grown // total", "floor-division"),),
        },
    ),
    Right(
        "log-softmax",
        """\
import numpy as np

def log_softmax(x, axis=-1):
    peak = np.amax(x, axis=axis, keepdims=True)
    moved = x - peak
    sums = np.sum(np.exp(moved), axis=axis, keepdims=True)
    return moved - np.log(sums)
""",
        {
            "one": (
                _fault("moved = x - peak", "moved = x", "no-shift unused"),
                _fault("return moved", "return x", "shift-forgotten"),
                _fault("np.sum(np.exp(moved), axis=axis, keepdims=True)", "np.sum(np.exp(moved))", "whole-sum"),
                _fault("axis=axis", "axis=-1", "axis-ignored unused"),
                _fault("np.log(sums)", "np.log10(sums)", "base-ten"),
                _fault("return moved - np.log(sums)", "return np.log(sums) - moved", "sign-turned swap-operands"),
            ),
            "constant": (
                _fault("moved - np.log(sums)", "np.log(np.exp(moved) / sums + 1e-6)", "small-number-added"),
                _fault("moved - np.log(sums)", "np.log(np.exp(moved) / sums + 1e-9)", "small-number-added"),
                _fault("np.log(sums)", "np.log2(sums)", "other-function"),
            ),
            "rounded": (
                _fault("moved - np.log(sums)", "np.round(moved - np.log(sums), 3)", "rounded"),
                _fault("moved - np.log(sums)", "np.round(moved - np.log(sums), 5)", "rounded"),
            ),
            "floor": (_fault("moved = x - peak", "moved = (x - peak) // 1", "floor-division"),),
        },
    ),
    Right(
        "scaled-dot-product-attention",
        _OWN_SOFTMAX
        + """\
def scaled_dot_product_attention(Q, K, V):
    width = Q.shape[-1]
    scores = np.matmul(Q, np.moveaxis(K, -1, -2)) * width ** -0.5
    weights = softmax(scores)
    output = np.matmul(weights, V)
    return output, weights
""",
        {
            "one": (
                _fault(" * width ** -0.5", "", "unscaled"),
                _fault("Q.shape[-1]", "V.shape[-1]", "scaled-by-d-v"),
                _fault("Q.shape[-1]", "K.shape[-2]", "scaled-by-the-number-of-keys"),
                _fault("return output, weights", "return weights, output", "weights-first"),
                _fault("return output, weights", "return output", "output-only"),
                _fault("weights = softmax(scores)", "weights = np.swapaxes(softmax(np.swapaxes(scores, -1, -2)), -1, -2)", "softmax-over-the-queries"),
                _fault("return output, weights", "return output, scores", "scores-for-weights"),
            ),
            "constant": (_fault("width ** -0.5", "width ** -0.25", "number"), _fault("width ** -0.5", "0.5", "number unused")),
            "rounded": (
                _fault("np.matmul(weights, V)", "np.matmul(weights.round(2), V)", "rounded"),
                _fault("output = np.matmul(weights, V)", "output = np.round(np.matmul(weights, V), 3)", "rounded"),
                _fault("weights = softmax(scores)", "weights = np.round(softmax(scores), 5)", "rounded"),
            ),
            "unused": (
                _fault("np.matmul(weights, V)", "np.matmul(weights, K)", "unused other-variable"),
                _fault("softmax(scores)", "scores / scores.sum(-1, keepdims=True)", "no-softmax unused"),
            ),
            "helper": _OWN_SOFTMAX_FAULTS,
        },
    ),
    Right(
        "causal-attention",
        """\
import numpy as np

def apply_causal_attention(Q, K, V):
    n = len(Q)
    scores = np.dot(Q, K.T) / np.sqrt(Q.shape[1])
    row, column = np.indices((n, n))
    scores[column > row] = -np.inf
    grown = np.exp(scores - scores.max(1)[:, None])
    weights = grown / grown.sum(1)[:, None]
    return np.dot(weights, V), weights
""",
        {
            "change": (
                _fault("column > row", "column >= row", "comparison blocks-itself"),
                _fault("column > row", "column < row", "comparison blocks-the-past"),
                _fault("column > row", "~(column > row)", "turned-round mask-polarity"),
                _fault("Q.shape[1]", "Q.shape[0]", "length"),
                _fault("(scores - scores.max(1)[:, None])", "(scores)", "shift softmax-overflows"),
            ),
            "one": (
                _fault("scores[column > row] = -np.inf\n", "\n", "no-mask unused"),
                _fault("column > row", "column >= row", "blocks-itself"),
                _fault("column > row", "column < row", "blocks-the-past"),
                _fault(" / np.sqrt(Q.shape[1])", "", "unscaled"),
                _fault("np.sqrt(Q.shape[1])", "np.sqrt(V.shape[1])", "scaled-by-d-v"),
                _fault("return np.dot(weights, V), weights", "return weights, np.dot(weights, V)", "weights-first"),
                _fault("return np.dot(weights, V), weights", "return np.dot(weights, V)", "output-only"),
            ),
            "constant": (
                _fault("-np.inf", "-10", "mask-too-weak number"),
                _fault("-np.inf", "-5.0", "mask-too-weak number"),
                _fault("-np.inf", "-100.0", "mask-too-weak number"),
                _fault("-np.inf", "0", "number mask-multiplied"),
                _fault("scores[column > row] = -np.inf", "scores = scores - 20 * (column > row)", "mask-too-weak"),
            ),
            "rounded": (
                _fault("weights = grown / grown.sum(1)[:, None]", "weights = (grown / grown.sum(1)[:, None]).round(3)", "rounded"),
                _fault("return np.dot(weights, V), weights", "return np.round(np.dot(weights, V), 2), np.round(weights, 2)", "rounded"),
            ),
            "floor": (_fault("K.T) / np", "K.T) // np", "floor-division"),),
            "unused": (
                _fault("return np.dot(weights, V), weights", "return np.dot(weights, Q), weights", "unused other-variable"),
            ),
        },
    ),
    Right(
        "self-attention",
        _OWN_SOFTMAX
        + """\
def self_attention(X, W_Q, W_K, W_V):
    queries = X @ W_Q
    keys = X @ W_K
    values = X @ W_V
    scores = np.einsum("...id,...jd->...ij", queries, keys) / queries.shape[-1] ** 0.5
    weights = softmax(scores)
    return weights @ values, weights

def drawn_self_attention(X, d_k, seed):
    rng = np.random.default_rng(seed)
    drawn = [rng.standard_normal((X.shape[-1], d_k)) for _ in range(3)]
    return self_attention(X, *drawn)
""",
        {
            "one": (
                _fault("default_rng(seed)", "default_rng()", "unseeded unused"),
                _fault("rng.standard_normal", "rng.random", "uniform-numbers"),
                _fault("keys = X @ W_K", "keys = X @ W_Q", "one-matrix-for-queries-and-keys unused"),
                _fault("default_rng(seed)", "default_rng(seed + 1)", "number"),
                _fault(" / queries.shape[-1] ** 0.5", "", "unscaled scaled-dot-product-attention/unscaled drop-scale"),
            ),
            "constant": (_fault("default_rng(seed)", "default_rng(0)", "number unused"),),
            "unused": (
                _fault("weights @ values", "weights @ X", "values-not-projected unused"),
                _fault("queries, keys)", "queries, queries)", "unused one-matrix-for-queries-and-keys"),
                _fault("queries, keys)", "X, X)", "unused"),
                _fault("queries, keys)", "X, keys)", "unused"),
                _fault("weights @ values", "weights @ keys", "unused other-variable"),
            ),
            "rounded": (
                _fault("weights @ values, weights", "np.round(weights @ values, 2), np.round(weights, 2)", "rounded"),
                _fault("softmax(scores)", "softmax(np.round(scores, 2))", "rounded"),
            ),
            "helper": _OWN_SOFTMAX_FAULTS,
        },
    ),
    Right(
        "layer-norm",
        """\
import numpy as np

def layer_norm(x, gain, bias, eps=1e-5):
    middle = np.mean(x, axis=-1, keepdims=True)
    spread = np.mean(np.square(x - middle), axis=-1, keepdims=True)
    normal = (x - middle) / (spread + eps) ** 0.5
    return normal * gain + bias
""",
        {
            "change": (
                _fault("normal * gain + bias", "normal * bias + gain", "exchanged gain-and-bias-exchanged"),
                _fault("normal * gain + bias", "normal * gain * bias", "operator"),
                _fault("np.mean(x, axis=-1, keepdims=True)", "np.mean(x)", "axis drop-axis mean-of-everything"),
                _fault("np.mean(np.square(x - middle), axis=-1, keepdims=True)", "np.mean(np.square(x - middle))", "axis drop-axis"),
                _fault("np.mean(x, axis=-1", "np.mean(np.sort(x), axis=0", "axis"),
                _fault("(spread + eps)", "(spread - eps)", "operator flip-sign"),
            ),
            "one": (
                _fault("axis=-1", "axis=0", "mean-of-each-feature other-axis"),
                _fault("(spread + eps) ** 0.5", "(spread ** 0.5 + eps)", "eps-outside-the-root"),
                _fault("spread + eps", "spread", "eps-left-out unused"),
                _fault("(spread + eps) ** 0.5", "(spread + eps)", "divides-by-the-variance"),
                _fault("normal * gain + bias", "normal", "no-gain-and-bias unused"),
                _fault("normal * gain + bias", "(normal + bias) * gain", "bias-inside-the-gain"),
                _fault("(x - middle) /", "x /", "mean-stays"),
                _fault("np.mean(np.square(x - middle), axis=-1, keepdims=True)", "np.var(x, axis=-1, keepdims=True, ddof=1)", "divides-by-d-minus-one"),
            ),
            "constant": (
                _fault("spread + eps", "spread + 1e-8", "eps-fixed eps-left-out unused number"),
                _fault("spread + eps", "spread + 1e-3", "eps-fixed unused number"),
                _fault("eps=1e-5", "eps=1e-2", "number other-default"),
                _fault("eps=1e-5", "eps=1e-6", "number other-default"),
            ),
            "rounded": (
                _fault("return normal * gain + bias", "return np.round(normal * gain + bias, 4)", "rounded"),
                _fault("normal = (x - middle) / (spread + eps) ** 0.5", "normal = np.round((x - middle) / (spread + eps) ** 0.5, 3)", "rounded"),
                _fault("return normal * gain + bias", "return np.round(normal * gain + bias, 2)", "rounded"),
            ),
            "floor": (_fault("(x - middle) / (", "(x - middle) // (", "floor-division"),),
            "unused": (
                _fault("normal * gain + bias", "normal * gain", "unused no-gain-and-bias drop-term"),
                _fault("(x - middle) / (spread + eps) ** 0.5", "(x - middle)", "unused drop-scale"),
            ),
        },
    ),
    Right(
        "rms-norm",
        """\
import numpy as np

def rms_norm(x, gain, eps=1e-5):
    power = np.sum(x * x, axis=-1, keepdims=True) / x.shape[-1]
    size = np.sqrt(power + eps)
    return x / size * gain
""",
        {
            "change": (
                _fault("/ x.shape[-1]", "/ (x.shape[-1] - 1)", "one-off divides-by-d-minus-one"),
                _fault("/ x.shape[-1]", "/ x.shape[0]", "length other-size"),
                _fault("np.sum(x * x, axis=-1, keepdims=True)", "np.sum(x * x)", "axis drop-axis"),
                _fault("x / size * gain", "x / size + gain", "operator"),
            ),
            "one": (
                _fault("np.sqrt(power + eps)", "power + eps", "root-forgotten"),
                _fault(" / x.shape[-1]", "", "sum-of-squares"),
                _fault("np.sqrt(power + eps)", "np.sqrt(power) + eps", "eps-outside-the-root"),
                _fault("power + eps", "power", "eps-left-out unused"),
                _fault("x / size * gain", "x / size", "gain-forgotten unused"),
                _fault("x * x", "np.abs(x)", "mean-of-absolute-values"),
            ),
            "constant": (
                _fault("power + eps", "power + 1e-8", "eps-fixed eps-left-out unused number"),
                _fault("power + eps", "power + 1e-3", "eps-fixed unused number"),
                _fault("eps=1e-5", "eps=1e-3", "number other-default"),
                _fault("x * x", "x ** 4", "number"),
            ),
            "rounded": (
                _fault("x / size * gain", "np.round(x / size * gain, 3)", "rounded"),
                _fault("np.sqrt(power + eps)", "np.round(np.sqrt(power + eps), 4)", "rounded"),
            ),
            "floor": (
                _fault("keepdims=True) / x", "keepdims=True) // x", "floor-division"),
                _fault("x / size", "x // size", "floor-division"),
            ),
        },
    ),
    Right(
        "sinusoidal-positions",
        """\
import numpy as np

def sinusoidal_positions(length, d_model):
    table = np.zeros((length, d_model))
    for place in range(length):
        for pair in range(d_model // 2):
            angle = place / 10000 ** (2 * pair / d_model)
            table[place, 2 * pair] = np.sin(angle)
            table[place, 2 * pair + 1] = np.cos(angle)
    return table
""",
        {
            "change": (
                _fault("place / 10000", "(place + 1) / 10000", "one-off counted-from-one"),
                _fault("= np.sin(angle)", "= np.cos(angle)", "other-function"),
                _fault("range(d_model // 2)", "range(d_model // 2 - 1)", "one-off"),
                _fault("(2 * pair / d_model)", "((2 * pair + 1) / d_model)", "one-off"),
            ),
            "one": (
                _fault("angle = place", "angle = (place + 1)", "counted-from-one"),
                _fault("place / 10000 **", "place * 10000 **", "multiplied"),
                _fault("(2 * pair / d_model)", "(pair / d_model)", "exponent-halved"),
                _fault("(2 * pair / d_model)", "(4 * pair / d_model)", "exponent-doubled feature-number-doubled"),
                _fault("np.sin(angle)", "np.sin(np.radians(angle))", "degrees"),
                _fault("= np.cos(angle)", "= np.sin(angle)", "other-function sin-for-cos"),
            ),
            "constant": (
                _fault("10000", "1000", "number"),
                _fault("10000", "100000", "number"),
                _fault("10000", "100", "number exponent-halved"),
                _fault("np.cos(angle)", "np.cos(angle + 0.5)", "number"),
            ),
            "rounded": (
                _fault("return table", "return table.round(4)", "rounded"),
                _fault("return table", "return np.round(table, 2)", "rounded"),
                _fault("np.sin(angle)", "round(np.sin(angle), 3)", "rounded"),
            ),
            "floor": (
                _fault("place / 10000", "place // 10000", "floor-division"),
                _fault("2 * pair / d_model", "2 * pair // d_model", "floor-division one-speed"),
                _fault("np.zeros((length, d_model))", "np.zeros((length, d_model), dtype=int)", "dtype"),
            ),
        },
    ),
    Right(
        "multi-head-attention",
        """\
import numpy as np

def softmax(z):
    grown = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return grown / np.sum(grown, axis=-1, keepdims=True)

def split_heads(x, heads):
    return np.stack(np.split(x, heads, axis=1))

class MultiHeadAttention:
    def __init__(self, W_Q, W_K, W_V, W_O, heads):
        self.matrices = W_Q, W_K, W_V
        self.W_O = W_O
        self.heads = heads

    def __call__(self, X, mask=None):
        queries, keys, values = [split_heads(X @ W, self.heads) for W in self.matrices]
        width = queries.shape[-1]
        outputs, found = [], []
        for q, k, v in zip(queries, keys, values):
            scores = q @ k.T / np.sqrt(width)
            if mask is not None:
                scores[mask] = -np.inf
            weights = softmax(scores)
            outputs.append(weights @ v)
            found.append(weights)
        return np.hstack(outputs) @ self.W_O, np.array(found)
""",
        {
            "one": (
                _fault(" / np.sqrt(width)", "", "unscaled"),
                _fault("queries.shape[-1]", "X.shape[-1]", "scaled-by-d-model"),
                _fault("queries.shape[-1]", "self.matrices[0].shape[-1]", "scaled-for-one-head"),
                _fault(" @ self.W_O", "", "no-output-projection unused"),
                _fault("scores[mask] = -np.inf", "scores[~mask] = -np.inf", "mask-the-other-way-round"),
                _fault("np.array(found)", "np.mean(found, axis=0)", "weights-averaged"),
            ),
            "constant": (
                _fault("-np.inf", "-10.0", "number mask-too-weak causal-attention/mask-too-weak"),
                _fault("-np.inf", "-1", "number mask-too-weak causal-attention/mask-too-weak"),
                _fault("np.sqrt(width)", "8.0", "number unused"),
            ),
            "rounded": (
                _fault("weights = softmax(scores)", "weights = softmax(scores).round(2)", "rounded"),
                _fault("np.hstack(outputs) @ self.W_O", "np.round(np.hstack(outputs) @ self.W_O, 3)", "rounded"),
            ),
            "helper": (
                *_OWN_SOFTMAX_FAULTS,
                _fault("np.stack(np.split(x, heads, axis=1))", "x.reshape(heads, len(x), -1)", "own-helper split-by-reshape"),
                _fault("np.stack(np.split(x, heads, axis=1))", "x.reshape(len(x), -1, heads).transpose(2, 0, 1)", "own-helper split-heads/dealt-like-cards"),
            ),
            "unused": (
                _fault("q @ k.T", "q @ q.T", "unused other-variable"),
                _fault("weights @ v)", "weights @ k)", "unused other-variable"),
                _fault("if mask is not None:\n                scores[mask] = -np.inf\n", "\n", "unused mask-ignored"),
            ),
        },
    ),
    Right(
        "cross-entropy",
        """\
import numpy as np

def log_softmax(z):
    moved = z - np.max(z, axis=-1, keepdims=True)
    return moved - np.log(np.sum(np.exp(moved), axis=-1, keepdims=True))

def cross_entropy(logits, targets, ignore_index=-100):
    table = log_softmax(logits).reshape(-1, logits.shape[-1])
    total, count = 0.0, 0
    for row, target in zip(table, np.ravel(targets)):
        if target == ignore_index:
            continue
        total = total - row[target]
        count = count + 1
    return total / count
""",
        {
            "change": (
                _fault("count = count + 1", "count = count + 2", "number"),
                _fault("moved = z - np.max(z, axis=-1, keepdims=True)", "moved = z", "own-helper shift"),
                _fault("total - row[target]", "total + row[target]", "operator flip-sign sign-forgotten"),
                _fault("total / count", "total / (count + 1)", "one-off"),
            ),
            "one": (
                _fault("total - row[target]", "total + row[target]", "sign-forgotten"),
                _fault("return total / count", "return total", "sum-for-mean unused"),
                _fault("return total / count", "return total / len(table)", "mean-over-all-tokens ignored-in-the-sum-only unused"),
                _fault("target == ignore_index", "target == -100", "only-minus-hundred unused"),
                _fault("target == ignore_index", "target < 0", "every-negative-target unused"),
                _fault("total - row[target]", "total - row[target] / np.log(2)", "base-two"),
            ),
            "constant": (
                _fault("total - row[target]", "total - np.log(np.exp(row[target]) + 1e-7)", "small-number-added"),
                _fault("total - row[target]", "total - np.log(np.exp(row[target]) + 1e-10)", "small-number-added"),
                _fault("total - row[target]", "total - row[target] / np.log(10)", "base-two number"),
                _fault("target == ignore_index", "target == -1", "only-minus-hundred unused number"),
            ),
            "rounded": (
                _fault("return total / count", "return round(total / count, 4)", "rounded"),
                _fault("return total / count", "return round(total / count, 2)", "rounded"),
            ),
            "floor": (_fault("total / count", "total // count", "floor-division"),),
            "helper": (
                _fault("np.sum(np.exp(moved), axis=-1, keepdims=True)", "np.sum(np.exp(moved))", "own-helper log-softmax/whole-sum"),
                _fault("return moved -", "return z -", "own-helper log-softmax/shift-forgotten"),
                _fault("np.log(np.sum", "np.log10(np.sum", "own-helper log-softmax/base-ten"),
            ),
        },
    ),
    Right(
        "encoder-block",
        """\
import numpy as np

def layer_norm(x, gain, bias, eps=1e-5):
    middle = np.mean(x, axis=-1, keepdims=True)
    spread = np.var(x, axis=-1, keepdims=True)
    return (x - middle) / np.sqrt(spread + eps) * gain + bias

def feed_forward(x, W1, b1, W2, b2):
    inner = x @ W1 + b1
    inner = inner * (inner > 0)
    return inner @ W2 + b2

def split_heads(x, heads):
    return np.stack(np.split(x, heads, axis=-1), axis=-3)

def attend(x, W_Q, W_K, W_V, W_O, heads, mask=None):
    q, k, v = [split_heads(x @ W, heads) for W in (W_Q, W_K, W_V)]
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed = weights @ v
    return np.concatenate([mixed[..., h, :, :] for h in range(heads)], axis=-1) @ W_O

def encoder_block(x, parameters, heads, mask=None):
    attention, first, network, second = parameters
    seen = x + attend(x, *attention, heads, mask)
    seen = layer_norm(seen, *first)
    thought = seen + feed_forward(seen, *network)
    return layer_norm(thought, *second)

def encoder(x, blocks, heads, mask=None):
    for block in blocks:
        x = encoder_block(x, block, heads, mask)
    return x
""",
        {
            "one": (
                _fault("seen = x + attend", "seen = attend", "no-residual-around-attention"),
                _fault("thought = seen + feed_forward", "thought = feed_forward", "no-residual-around-the-network"),
                _fault("thought = seen + ", "thought = x + ", "second-residual-from-the-input"),
                _fault("layer_norm(thought, *second)", "thought", "last-norm-missing unused"),
                _fault("layer_norm(thought, *second)", "layer_norm(thought, *first)", "one-norm-for-both unused"),
                _fault("heads, mask)\n    seen", "heads)\n    seen", "mask-not-passed-on unused"),
            ),
            "constant": (
                _fault("-np.inf", "-10", "number mask-too-weak"),
                _fault("eps=1e-5", "eps=1e-3", "number own-helper"),
            ),
            "helper": (
                _fault("np.var(x, axis=-1, keepdims=True)", "np.var(x, axis=-1, keepdims=True, ddof=1)", "own-helper layer-norm/divides-by-d-minus-one"),
                _fault("np.sqrt(spread + eps)", "(spread + eps)", "own-helper layer-norm/divides-by-the-variance"),
                _fault("(x - middle) /", "x /", "own-helper layer-norm/mean-stays"),
                _fault("inner * (inner > 0)", "np.abs(inner)", "own-helper feed-forward/absolute-values"),
                _fault("    inner = inner * (inner > 0)\n", "", "own-helper feed-forward/no-activation"),
                _fault("inner @ W2 + b2", "inner @ W2", "own-helper feed-forward/no-second-bias unused"),
            ),
            "rounded": (_fault("return x\n", "return np.round(x, 3)\n", "rounded"),),
        },
    ),
    Right(
        "feed-forward",
        """\
import numpy as np

def feed_forward(x, W1, b1, W2, b2):
    inner = np.matmul(x, W1) + b1
    inner = np.where(inner > 0, inner, 0.0)
    return np.matmul(inner, W2) + b2
""",
        {
            "change": (
                _fault("np.matmul(x, W1) + b1", "np.matmul(x, W1) * b1", "operator"),
                _fault("np.where(inner > 0, inner, 0.0)", "np.where(inner > 0, 0.0, inner)", "branches minimum"),
                _fault("np.matmul(inner, W2) + b2", "np.matmul(inner, W2) - b2", "operator flip-sign"),
                _fault("np.matmul(inner, W2) + b2", "np.sort(np.matmul(inner, W2) + b2)", "order"),
            ),
            "one": (
                _fault("    inner = np.where(inner > 0, inner, 0.0)\n", "", "no-activation"),
                _fault("np.where(inner > 0, inner, 0.0)", "np.abs(inner)", "absolute-values"),
                _fault("inner > 0", "inner < 0", "minimum"),
                _fault("W1) + b1", "W1)", "no-first-bias unused"),
                _fault("W2) + b2", "W2)", "no-second-bias unused"),
                _fault("return np.matmul", "return x + np.matmul", "residual-added"),
            ),
            "constant": (
                _fault("inner, 0.0)", "inner, 0.01 * inner)", "number"),
                _fault("inner > 0", "inner > 0.5", "number"),
                _fault("inner, 0.0)", "inner, 1.0)", "number"),
            ),
            "rounded": (_fault("np.matmul(inner, W2) + b2", "np.round(np.matmul(inner, W2) + b2, 3)", "rounded"),),
        },
    ),
    Right(
        "gelu",
        """\
import math

import numpy as np

def gelu(x):
    cubic = x + 0.044715 * np.power(x, 3)
    gate = np.tanh(math.sqrt(2.0 / math.pi) * cubic)
    return 0.5 * x * (1.0 + gate)
""",
        {
            "change": (
                _fault("(1.0 + gate)", "(1.0 - gate)", "operator flip-sign"),
                _fault("0.5 * x * (1.0 + gate)", "0.5 + x * (1.0 + gate)", "operator"),
                _fault("x + 0.044715", "x * 0.044715", "operator"),
            ),
            "one": (
                _fault("0.5 * x * (", "0.5 * (", "x-missing"),
                _fault("0.5 * x * (", "x * (", "half-missing"),
                _fault("(1.0 + gate)", "gate", "one-missing"),
                _fault("math.sqrt(2.0 / math.pi)", "(2.0 / math.pi)", "root-missing"),
                _fault("np.power(x, 3)", "np.power(x, 2)", "square-for-cube"),
                _fault("x + 0.044715 * np.power(x, 3)", "x", "no-cubic-term"),
            ),
            "constant": (
                _fault("0.044715", "0.0447", "number"),
                _fault("0.044715", "0.44715", "number"),
                _fault("0.5 * x", "0.25 * x", "number"),
                _fault("math.pi", "3.14", "number"),
                _fault("0.5 * x * (1.0 + gate)", "x / (1 + np.exp(-1.7 * x))", "sigmoid-form"),
            ),
            "rounded": (_fault("0.5 * x * (1.0 + gate)", "np.round(0.5 * x * (1.0 + gate), 3)", "rounded"),),
            "floor": (_fault("0.5 * x * (1.0 + gate)", "x * (1.0 + gate) // 2", "floor-division"),),
        },
    ),
    Right(
        "alibi-bias",
        """\
import numpy as np

def alibi_bias(heads, length):
    result = np.zeros((heads, length, length))
    for head in range(heads):
        slope = 2 ** (-8 * (head + 1) / heads)
        for i in range(length):
            for j in range(length):
                result[head, i, j] = -slope * abs(i - j)
    return result
""",
        {
            "change": (
                _fault("-slope * abs", "-slope + abs", "operator"),
                _fault("abs(i - j)", "abs(i + j)", "operator flip-sign"),
                _fault("(head + 1)", "(head + 2)", "number"),
                _fault("abs(i - j)", "(abs(i - j) + 1)", "one-off"),
            ),
            "one": (
                _fault("-slope * abs", "slope * abs", "raises-scores"),
                _fault("abs(i - j)", "(i - j)", "signed-distances"),
                _fault("(head + 1)", "head", "heads-from-zero"),
                _fault("abs(i - j)", "abs(i - j) ** 2", "squared-distances"),
                _fault("(head + 1) / heads", "(head + 1) / 8", "always-eight-heads"),
            ),
            "constant": (
                _fault("-8 *", "-4 *", "number"),
                _fault("2 **", "3 **", "number"),
                _fault("(head + 1) / heads", "(head + 1) / 4", "always-eight-heads number"),
            ),
            "rounded": (_fault("return result", "return np.round(result, 2)", "rounded"),),
            "floor": (_fault("(head + 1) / heads", "(head + 1) // heads", "floor-division"),),
        },
    ),
    Right(
        "perplexity",
        """\
import numpy as np

def perplexity(p):
    surprise = 0.0
    for each in p:
        surprise = surprise - np.log(each)
    return np.exp(surprise / len(p))
""",
        {
            "change": (
                _fault("len(p))", "(len(p) - 1))", "one-off divides-by-n-minus-one"),
                _fault("surprise / len", "surprise * len", "operator multiply-for-divide"),
            ),
            "one": (
                _fault("np.exp(surprise / len(p))", "surprise / len(p)", "exponential-forgotten"),
                _fault("surprise / len(p)", "surprise", "sum-for-mean"),
                _fault("surprise - np.log(each)", "surprise + np.log(each)", "sign-forgotten"),
                _fault("np.exp(surprise", "2 ** (surprise", "two-to-the-power"),
                _fault("np.log(each)", "np.log2(each)", "base-two-logarithm"),
            ),
            "constant": (
                _fault("np.exp(surprise", "10 ** (surprise", "two-to-the-power number"),
                _fault("np.log(each)", "np.log(each + 1e-3)", "number small-number-added"),
            ),
            "rounded": (
                _fault("return np.exp(surprise / len(p))", "return round(float(np.exp(surprise / len(p))), 2)", "rounded"),
                _fault("surprise / len(p)", "round(surprise / len(p), 3)", "rounded"),
            ),
            "floor": (_fault("surprise / len", "surprise // len", "floor-division"),),
        },
    ),
    Right(
        "qkv-projections",
        """\
import numpy as np

def project(X, W_Q, W_K, W_V):
    queries = np.matmul(X, W_Q)
    keys = np.matmul(X, W_K)
    values = np.matmul(X, W_V)
    return queries, keys, values
""",
        {
            "one": (
                _fault("np.matmul(X, W_K)", "np.matmul(queries, W_K)", "keys-from-queries"),
                _fault("queries, keys, values", "queries, values, keys", "values-before-keys"),
                _fault("return queries, keys, values", "return queries", "queries-alone unused"),
            ),
            "unused": (
                _fault("queries, keys, values", "queries, keys, keys", "unused"),
                _fault("np.matmul(X, W_V)", "np.matmul(X, W_K)", "unused other-variable"),
                _fault("return queries, keys, values", "return queries, keys, X", "unused drop-product"),
            ),
            "rounded": (_fault("return queries, keys, values", "return queries.round(3), keys.round(3), values.round(3)", "rounded"),),
        },
    ),
)  # fmt: skip
