"""Right programs in another style than the solutions: loops, einsum, log space, other orders.

Mutation makes wrong ones of them, of which the place of the mistake is known. They are kept apart
from the exercises. The rules of the search were written with these programs at hand, up to `gelu`:
what is measured on them flatters it. Programs that are added later tell more.
"""

from typing import Final

_TEXT: Final = """\
## similarity-scores
import numpy as np
def similarity_scores(Q, K):
    keys = np.moveaxis(K, -2, -1)
    scores = np.einsum("...id,...dj->...ij", Q, keys)
    return scores

## scaled-scores
import numpy as np
def scaled_scores(Q, K):
    width = K.shape[-1]
    small = Q * width ** -0.25
    others = K * width ** -0.25
    return np.einsum("...id,...jd->...ij", small, others)

## weighted-sum
import numpy as np
def weighted_sum(weights, V):
    rows = V[..., np.newaxis, :, :]
    parts = weights[..., np.newaxis] * rows
    return parts.sum(axis=-2)

## attention-steps
import numpy as np
def attention_steps(Q, K, V):
    steps = {}
    steps["scores"] = np.einsum("...id,...jd->...ij", Q, K)
    root = Q.shape[-1] ** 0.5
    scaled = steps["scores"] / root
    steps["scaled"] = scaled
    peak = scaled.max(-1, keepdims=True)
    shares = np.exp(scaled - peak - np.log(np.exp(scaled - peak).sum(-1, keepdims=True)))
    steps["weights"] = shares
    steps["output"] = np.matmul(shares, V)
    return steps

## causal-mask
import numpy as np
def causal_mask(n):
    mask = np.zeros((n, n))
    for row in range(n):
        for column in range(row + 1, n):
            mask[row, column] = -np.inf
    return mask

## padding-mask
import numpy as np
def padding_mask(lengths, m):
    lengths = np.asarray(lengths)
    places = np.broadcast_to(np.arange(m), lengths.shape + (m,))
    kept = places < np.expand_dims(lengths, -1)
    blocked = np.logical_not(kept)
    return np.expand_dims(blocked, -2)

## fully-masked-rows
import numpy as np
def masked_softmax(scores, blocked):
    allowed = ~np.broadcast_to(blocked, scores.shape)
    lowest = np.where(allowed, scores, -1e300)
    moved = lowest - np.max(lowest, axis=-1, keepdims=True)
    grown = np.exp(moved) * allowed
    total = np.sum(grown, axis=-1, keepdims=True)
    empty = total == 0
    return grown / (total + empty)

## sliding-window-mask
import numpy as np
def sliding_window_mask(n, window):
    square = np.ones((n, n), dtype=bool)
    late = np.triu(square, 1)
    early = np.tril(square, -window)
    return np.logical_or(late, early)

## cross-attention
import numpy as np
def cross_attention(X, memory, W_Q, W_K, W_V, blocked):
    queries = np.matmul(X, W_Q)
    width = queries.shape[-1]
    queries = queries / np.sqrt(width)
    keys = np.matmul(memory, W_K)
    scores = np.einsum("...id,...jd->...ij", queries, keys)
    scores = np.where(blocked, -np.inf, scores)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares = shares / shares.sum(-1, keepdims=True)
    values = np.matmul(memory, W_V)
    return np.matmul(shares, values), shares

## split-heads
import numpy as np
def split_heads(x, heads):
    length, width = x.shape
    size = width // heads
    parts = []
    for head in range(heads):
        begin = head * size
        parts.append(x[:, begin : begin + size])
    return np.array(parts)

## rotary-positions
import numpy as np
def rotate(x, positions):
    half = x.shape[-1] // 2
    exponents = np.arange(half) / half
    angles = np.outer(positions, 1 / 10000.0 ** exponents)
    numbers = x[..., ::2] + 1j * x[..., 1::2]
    turned = numbers * np.exp(1j * angles)
    both = np.stack([turned.real, turned.imag], axis=-1)
    return both.reshape(x.shape).astype(x.dtype)

## flash-attention
import numpy as np
def flash_attention(Q, K, V, block):
    scale = 1 / np.sqrt(Q.shape[1])
    highest = np.full((len(Q), 1), -np.inf)
    below = np.zeros((len(Q), 1))
    above = np.zeros((len(Q), V.shape[1]))
    for first in range(0, K.shape[0], block):
        keys, values = K[first : first + block], V[first : first + block]
        scores = scale * np.dot(Q, keys.T)
        top = np.maximum(highest, scores.max(axis=1, keepdims=True))
        old = np.exp(highest - top)
        new = np.exp(scores - top)
        below = below * old + new.sum(axis=1, keepdims=True)
        above = above * old + np.dot(new, values)
        highest = top
    return above / below

## grouped-query-attention
import numpy as np
def grouped_query_attention(Q, K, V):
    groups = K.shape[-3]
    each = Q.shape[-3] // groups
    outputs, shares = [], []
    for head in range(Q.shape[-3]):
        group = head // each
        q, k, v = Q[..., head, :, :], K[..., group, :, :], V[..., group, :, :]
        scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(k.shape[-1])
        grown = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share = grown / grown.sum(axis=-1, keepdims=True)
        outputs.append(share @ v)
        shares.append(share)
    return np.stack(outputs, axis=-3), np.stack(shares, axis=-3)

## softmax-backward
import numpy as np
def softmax_backward(d_output, weights):
    product = weights * d_output
    total = np.sum(product, axis=-1, keepdims=True)
    return product - weights * total

## attention-backward
import numpy as np
def attention_backward(d_output, Q, K, V):
    root = Q.shape[-1] ** 0.5
    scores = np.einsum("...id,...jd->...ij", Q, K) / root
    grown = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = grown / grown.sum(axis=-1, keepdims=True)
    d_V = np.einsum("...ij,...id->...jd", weights, d_output)
    d_weights = np.einsum("...id,...jd->...ij", d_output, V)
    inner = (d_weights * weights).sum(axis=-1, keepdims=True)
    d_scores = weights * d_weights - weights * inner
    d_scores = d_scores / root
    d_Q = np.einsum("...ij,...jd->...id", d_scores, K)
    d_K = np.einsum("...ij,...id->...jd", d_scores, Q)
    return d_Q, d_K, d_V

## temperature-sampling
import numpy as np
def token_probabilities(logits, temperature):
    if temperature == 0:
        best = np.argmax(logits, axis=-1)
        tokens = np.arange(logits.shape[-1])
        return (tokens == best[..., np.newaxis]).astype(float)
    cooled = logits / temperature
    moved = cooled - np.max(cooled, axis=-1, keepdims=True)
    total = np.log(np.sum(np.exp(moved), axis=-1, keepdims=True))
    return np.exp(moved - total)

## axis-sums
import numpy as np
def sales_totals(sold):
    over_time = np.einsum("tsp->sp", sold)
    per_shop = over_time.sum(axis=1)
    return over_time, per_shop

## keepdims
import numpy as np
def normalise_rows(x):
    ones = np.ones(x.shape[-1])
    sums = np.dot(x, ones)
    return x / np.expand_dims(sums, -1)

## pairwise-differences
import numpy as np
def pairwise_differences(a, b):
    rows = np.repeat(a[:, np.newaxis], len(b), axis=1)
    columns = np.repeat(b[np.newaxis], len(a), axis=0)
    return np.subtract(rows, columns)

## boolean-masks
import numpy as np
def valid_means(x, valid):
    numbers = np.nan_to_num(x) * 0
    numbers[valid] = x[valid]
    total = np.sum(numbers, axis=-1)
    count = np.count_nonzero(valid, axis=-1)
    count = np.where(count == 0, 1, count)
    return total / count

## einsum
import numpy as np
def answers(weights, values, mixers):
    mixed = np.einsum("hnm,mhd->hnd", weights, values)
    outputs = np.einsum("hnd,hdo->hno", mixed, mixers)
    return np.sum(outputs, axis=0)

## stable-mean-variance
import numpy as np
def mean_and_variance(x):
    count = x.shape[-1]
    mean = np.sum(x, axis=-1) / count
    away = x - np.expand_dims(mean, -1)
    squares = np.square(away)
    return mean, np.sum(squares, axis=-1) / count

## running-totals
import numpy as np
def running_means(x):
    length = x.shape[-1]
    upper = np.triu(np.ones((length, length)))
    totals = np.matmul(x, upper)
    return totals / np.arange(1, length + 1)

## token-lookup
import numpy as np
def embed(token_ids, E):
    flat = np.ravel(token_ids)
    rows = np.take(E, flat, axis=0)
    return rows.reshape(np.shape(token_ids) + (E.shape[1],))

## alibi-bias
import numpy as np
def alibi_bias(heads, length):
    numbers = np.arange(1, heads + 1)
    slopes = 0.5 ** (8 * numbers / heads)
    places = np.arange(length)
    steps = np.abs(np.subtract.outer(places, places))
    return np.multiply.outer(-slopes, steps)

## layer-norm
import numpy as np
def layer_norm(x, gain, bias, eps=1e-5):
    width = x.shape[-1]
    total = np.sum(x, axis=-1, keepdims=True)
    away = x - total / width
    power = np.sum(away * away, axis=-1, keepdims=True) / width
    return away / np.sqrt(power + eps) * gain + bias

## perplexity
import numpy as np
def perplexity(p):
    logs = np.log(p)
    mean = np.sum(logs) / len(logs)
    return 1 / np.exp(mean)

## gelu
import numpy as np
def gelu(x):
    square = x * x
    inner = x * (1 + 0.044715 * square)
    gate = (2 / np.pi) ** 0.5 * inner
    positive = np.exp(2 * np.clip(gate, -300, 300))
    return x * positive / (positive + 1)

## scaled-dot-product-attention
import numpy as np
def scaled_dot_product_attention(Q, K, V):
    width = K.shape[-1]
    scores = np.einsum("...id,...jd->...ij", Q, K) * width ** -0.5
    offsets = np.amax(scores, axis=-1, keepdims=True)
    logs = scores - offsets
    total = np.exp(logs).sum(-1)[..., np.newaxis]
    weights = np.exp(logs - np.log(total))
    return np.einsum("...ij,...jd->...id", weights, V), weights

## causal-attention
import numpy as np
def apply_causal_attention(Q, K, V):
    count, width = Q.shape
    weights = np.zeros((count, count))
    for place in range(count):
        seen = K[: place + 1]
        scores = seen.dot(Q[place]) / width ** 0.5
        grown = np.exp(scores - scores.max())
        weights[place, : place + 1] = grown / grown.sum()
    output = np.dot(weights, V)
    return output, weights

## stable-softmax
import numpy as np
def softmax(x, axis=-1):
    last = np.moveaxis(x, axis, -1)
    top = np.max(last, axis=-1)[..., np.newaxis]
    grown = np.exp(np.subtract(last, top))
    total = np.einsum("...i->...", grown)[..., np.newaxis]
    shares = np.divide(grown, total)
    return np.moveaxis(shares, -1, axis)

## log-softmax
import numpy as np
def log_softmax(x, axis=-1):
    top = np.amax(x, axis=axis, keepdims=True)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    normaliser = top + np.log(total)
    far = x - top
    return far - (normaliser - top)

## sinusoidal-positions
import numpy as np
def sinusoidal_positions(length, d_model):
    table = np.zeros((length, d_model))
    for column in range(d_model):
        pair = column // 2
        speed = 10000.0 ** (-2 * pair / d_model)
        angle = np.arange(length) * speed
        if column % 2:
            table[:, column] = np.cos(angle)
        else:
            table[:, column] = np.sin(angle)
    return table

## rms-norm
import numpy as np
def rms_norm(x, gain, eps=1e-5):
    width = x.shape[-1]
    power = np.einsum("...i,...i->...", x, x) / width
    factor = (power + eps) ** -0.5
    return (x * factor[..., np.newaxis] * gain).astype(x.dtype)

## cross-entropy
import numpy as np
def cross_entropy(logits, targets, ignore_index=-100):
    rows = logits.reshape(-1, logits.shape[-1])
    wanted = np.ravel(targets)
    kept = np.flatnonzero(wanted != ignore_index)
    rows = rows[kept]
    wanted = wanted[kept]
    top = rows.max(axis=1)
    normaliser = np.log(np.exp(rows - top[:, np.newaxis]).sum(axis=1))
    own = rows[np.arange(len(kept)), wanted] - top
    losses = normaliser - own
    return losses.sum() / len(kept)

## feed-forward
import numpy as np
def feed_forward(x, W1, b1, W2, b2):
    wide = np.tensordot(x, W1, axes=1)
    wide = np.add(wide, b1)
    open_ = np.where(wide > 0, wide, 0)
    narrow = np.tensordot(open_, W2, axes=1)
    return narrow + b2

## multi-head-attention
import numpy as np
class MultiHeadAttention:
    def __init__(self, W_Q, W_K, W_V, W_O, heads):
        self.heads = heads
        self.parts = [np.split(W, heads, axis=1) for W in (W_Q, W_K, W_V)]
        self.mixers = np.split(W_O, heads, axis=0)
    def __call__(self, X, mask=None):
        output = 0
        shares = []
        for head in range(self.heads):
            q, k, v = [X @ part[head] for part in self.parts]
            scores = np.inner(q, k) / q.shape[1] ** 0.5
            if mask is not None:
                scores = np.where(mask, -np.inf, scores)
            grown = np.exp(scores - scores.max(axis=1)[:, np.newaxis])
            share = grown / grown.sum(axis=1)[:, np.newaxis]
            output = output + share @ v @ self.mixers[head]
            shares.append(share)
        return output, np.stack(shares)

## self-attention
import numpy as np
def attend(q, k, v):
    scores = np.einsum("...id,...jd->...ij", q, k) / k.shape[-1] ** 0.5
    grown = np.exp(scores - scores.max(-1)[..., np.newaxis])
    shares = grown / grown.sum(-1)[..., np.newaxis]
    return shares @ v, shares
def self_attention(X, W_Q, W_K, W_V):
    return attend(*[np.dot(X, W) for W in (W_Q, W_K, W_V)])
def drawn_self_attention(X, d_k, seed):
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((3, X.shape[-1], d_k))
    return self_attention(X, *drawn)

## online-softmax
import numpy as np
def absorb(peak, total, block):
    top = np.maximum(peak, np.max(block, axis=1))
    safe = np.where(np.isneginf(top), 0, top)
    old = total * np.exp(peak - safe)
    new = np.exp(block - safe[:, np.newaxis])
    return top, old + np.sum(new, axis=1)
def normaliser(x, size):
    state = np.full(len(x), -np.inf), np.zeros(len(x))
    for first in range(0, x.shape[1], size):
        state = absorb(*state, x[:, first : first + size])
    return state

## qkv-projections
import numpy as np
def project(X, W_Q, W_K, W_V):
    sizes = np.cumsum([W_Q.shape[1], W_K.shape[1]])
    joined = np.concatenate([W_Q, W_K, W_V], axis=1)
    made = np.matmul(X, joined)
    return tuple(np.split(made, sizes, axis=-1))
"""


def right_programs() -> list[tuple[str, str]]:
    """Return the exercise and the source of each program."""
    parts = _TEXT.split("## ")[1:]
    return [(name, source) for name, _, source in (part.partition("\n") for part in parts)]
