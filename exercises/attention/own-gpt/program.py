"""Your own GPT: the functions that you wrote, put together."""

import copy
import inspect
import time

import causal_attention
import gelu as gelu_
import int8_quantization
import key_value_cache
import layer_norm as layer_norm_
import numpy as np
import scrambled_heads
import speculative_decoding
import split_heads as split_heads_
import temperature_sampling
import tiny_gpt
import top_k_top_p

DRAFTS = 4  # letters that are drafted before the model reads them
STRIDE = 16  # letters by which the window moves on when it is full
CACHE, INT8, DRAFTING = "key-value-cache", "int8-quantization", "speculative-decoding"


class WrongResult(Exception):
    """A function that does not fit, by name, and a sentence about it."""


def function_of(module, name):
    """Return a function of yours."""
    if not hasattr(module, name):
        raise WrongResult(name, f"Your code does not define `{name}`.")
    return getattr(module, name)


def checked(name, shape, result):
    """Return a result of a function of yours, which must be numbers of this shape."""
    shape = tuple(shape)
    if not isinstance(result, np.ndarray):
        found = "nothing" if result is None else f"a value of type {type(result).__name__}"
    elif result.dtype.kind not in "biuf":
        found = f"an array of dtype {result.dtype}"
    else:
        found = f"an array of shape {result.shape}"
    if found != f"an array of shape {shape}":
        needed = f"an array of shape {shape}" if "dtype" not in found else "an array of numbers"
        raise WrongResult(name, f"`{name}` returned {found}, and {needed} is needed.")
    if np.isnan(result).any() or name != "top_k_filter" and np.isinf(result).any():
        raise WrongResult(name, f"`{name}` returned NaN or infinity.")
    return result


def call(module, name, shape, *arguments):
    """Call a function of yours; its result must have this shape."""
    return checked(name, shape, function_of(module, name)(*arguments))


def layer_norm(x, gain, bias):
    return call(layer_norm_, "layer_norm", x.shape, x, gain, bias)


def network(x, W1, b1, W2, b2):
    hidden = x @ W1 + b1
    return call(gelu_, "gelu", hidden.shape, hidden) @ W2 + b2


def attention(x, W_Q, W_K, W_V, W_O, heads, mask):
    n, d = x.shape
    shape = (heads, n, d // heads)
    Q, K, V = (call(split_heads_, "split_heads", shape, x @ W, heads) for W in (W_Q, W_K, W_V))
    found = Reader.now.attend(id(W_Q), Q, K, V)
    return call(scrambled_heads, "merge_heads", (n, d), np.stack(found)) @ W_O


# The helpers that came with the last exercise give way to what you wrote yourself.
for helper in (layer_norm, network, attention):
    given = getattr(tiny_gpt, helper.__name__, None)
    if callable(given) and str(inspect.signature(given)) == str(inspect.signature(helper)):
        setattr(tiny_gpt, helper.__name__, helper)


class Reader:
    """Reads a text that grows at its end: all of it each time, or with your cache what is new."""

    now = None  # the one that reads

    def __init__(self, is_cached):
        self.is_cached = is_cached
        self.read = 0  # positions in the caches
        self.caches = {}  # by block and head
        self.before = {}  # the same, before the last call
        self.pieces = []  # that came with it
        self.weights = []  # of each head: rows for the new positions

    def score(self, tokens, is_draft=False):
        """Return the scores of what follows each new position; any may turn out to be a draft."""
        Reader.now, self.weights, self.pieces = self, [], []
        if self.is_cached and is_draft:
            self.before = copy.deepcopy(self.caches)
        E, P, blocks, norm = Model.parameters
        new = np.array(tokens[self.read :])
        parameters = (E, P[self.read :], blocks, norm)
        shape = (len(new), len(E))
        logits = call(tiny_gpt, "gpt", shape, new, parameters, Model.heads)
        if self.is_cached:
            if len(self.pieces) != len(blocks) * Model.heads:
                reason = "The cache needs a `gpt` that calls `attention` as the exercise gave it."
                raise WrongResult("gpt", reason)
            self.read = len(tokens)
        return logits

    def attend(self, block, Q, K, V):
        """Return what each head finds, and keep its weights."""
        if not self.is_cached:
            return [self.plain(*head) for head in zip(Q, K, V)]
        return [self.cached(block, *head) for head in enumerate(zip(Q, K, V))]

    def plain(self, Q, K, V):
        result = function_of(causal_attention, "apply_causal_attention")(Q, K, V)
        if isinstance(result, tuple):
            result, weights = result[0], np.asarray(result[-1])
            if weights.shape == (len(Q), len(K)):
                self.weights.append(weights)
        return checked("apply_causal_attention", Q.shape, result)

    def cached(self, block, head, piece):
        Q, K, V = piece
        # Behind the values stand marks, a one at each position's place: their mean is the weights.
        marks = np.eye(len(Model.parameters[1]))[self.read : self.read + len(V)]
        self.pieces.append((block, head, (Q, K, np.hstack([V, marks]))))
        result = self.cache(block, head).attend(*self.pieces[-1][-1])
        checked("CachedAttention", (len(Q), V.shape[1] + marks.shape[1]), result)
        self.weights.append(result[:, V.shape[1] :])
        return result[:, : V.shape[1]]

    def forget(self, count):
        """Take the last positions of the last call out of the caches."""
        if self.is_cached and count:
            self.caches, self.read = self.before, self.read - count
            for block, head, piece in self.pieces:
                self.cache(block, head).attend(*(each[:-count] for each in piece))

    def cache(self, block, head):
        if (block, head) not in self.caches:
            self.caches[block, head] = function_of(key_value_cache, "CachedAttention")()
        return self.caches[block, head]


class Model:
    """The arrays and letters of the model."""


class Text:
    """The text so far, and letters of it that were not asked for yet."""


def set_up(p, facts, switches):
    """Keep the model, and measure what each switch brings.

    Args:
        p: The arrays by name.
        facts: Its heads, blocks and letters; a sample of a text that it was not trained on; and
            how often each four letters followed each other in the text that it was trained on.
        switches: The exercises of what is switched on.
    """
    number = {letter: at for at, letter in enumerate(facts["letters"])}
    Model.heads, Model.blocks, Model.switches = facts["heads"], facts["blocks"], switches
    Model.sample = [number[each] for each in facts["sample"]]
    Model.follows = {}
    for letters, count in facts["follows"].items():
        *before, last = (number[each] for each in letters)
        Model.follows.setdefault(tuple(before), np.zeros(len(number)))[last] = count
    Model.parameters = arranged(p)
    return measured(p)


def arranged(p):
    """Return the arrays in the form of the exercise `tiny-gpt`."""
    return (
        p["E"],
        p["P"],
        tuple(
            (
                tuple(p[f"{name}{b}"] for name in "QKVO"),
                (p[f"f{b}g"], p[f"f{b}b"]),
                (p[f"W{b}"], p[f"w{b}"], p[f"X{b}"], p[f"x{b}"]),
                (p[f"s{b}g"], p[f"s{b}b"]),
            )
            for b in range(Model.blocks)
        ),
        (p["ng"], p["nb"]),
    )


def in_eight_bits(p):
    """Return the arrays after a way through eight bits, and the bytes of all of it."""
    result, size = dict(p), 0
    for name, x in p.items():
        if x.ndim == 1:
            size += 2 * x.size  # norms and biases stay in float16
            continue
        found = function_of(int8_quantization, "quantize")(x.copy())
        if not isinstance(found, tuple) or len(found) != 3:
            raise WrongResult("quantize", "`quantize` has to return three things in a tuple.")
        q = checked("quantize", x.shape, found[0])
        size += q.nbytes + 5  # a scale in float32, a zero point in int8
        result[name] = call(int8_quantization, "dequantize", x.shape, q, *found[1:])
    return result, size


def measured(p):
    facts = {}
    if INT8 in Model.switches:
        loss = loss_of_sample()
        arrays, size = in_eight_bits(p)
        Model.parameters = arranged(arrays)
        facts[INT8] = [2 * sum(x.size for x in p.values()), size, loss, loss_of_sample()]
    if CACHE in Model.switches:
        facts[CACHE] = speeds()
    if DRAFTING in Model.switches:
        facts[DRAFTING] = distances()
    return facts


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def loss_of_sample():
    size, losses = len(Model.parameters[1]), []
    for begin in range(0, len(Model.sample) - size, size):
        window = Model.sample[begin : begin + size + 1]
        p = softmax(Reader(False).score(window[:-1]))[np.arange(size), window[1:]]
        losses.append(-np.log(p + 1e-12).mean())
    return float(np.mean(losses))


def speeds(letters=24, samples=4):
    """Return letters a second with the cache and without, and how far probabilities are apart."""
    text, seconds = Model.sample[: len(Model.parameters[1])], [0.0, 0.0]
    cached, gap = Reader(True), 0.0
    cached.score(text[:-letters])
    for end in range(len(text) - letters + 1, len(text) + 1):
        start = time.perf_counter()
        found = cached.score(text[:end])[-1]
        seconds[0] += time.perf_counter() - start
        if end % (letters // samples) == 0:
            start = time.perf_counter()
            expected = Reader(False).score(text[:end])[-1]
            seconds[1] += time.perf_counter() - start
            gap = max(gap, float(np.abs(softmax(found) - softmax(expected)).max()))
    return [letters / max(seconds[0], 1e-3), samples / max(seconds[1], 1e-3), gap]


def distances(count=1000):
    """Return by how much the shares of drawn letters miss the model's, with drafts and without."""
    rng, size = np.random.default_rng(0), len(Model.parameters[1])
    text = Model.sample[:size]
    rows = softmax(Reader(False).score(text))
    at = int(np.argmin((rows**2).sum(axis=-1)))  # where the model is least sure
    p, q = rows[at], expected_next(text[: at + 1])
    q /= q.sum()
    found = np.zeros((2, len(p)))
    for draft, u, v in zip(rng.choice(len(q), count, p=q), rng.random(count), rng.random(count)):
        drafts = np.array([draft])
        found[0, check(np.array([p, p]), q[np.newaxis], drafts, np.array([u]), v)[0]] += 1
    found[1] = rng.multinomial(count, p)
    return (np.abs(found / count - p).sum(axis=-1) / 2).tolist()


def begin(tokens, seed):
    Text.tokens, Text.queue, Text.tally = tokens, [], [0, 0, 0]
    Text.start, Text.reader = 0, Reader(CACHE in Model.switches)
    Text.rng = np.random.default_rng(seed)


def next_token(temperature, k):
    """Return a token, the probabilities that it was drawn with, what each head looked at, and counts.

    The counts are those of accepted drafts, of all drafts, and of the model's runs.
    """
    if not Text.queue:
        write(temperature, k)
    return Text.queue.pop(0)


def write(temperature, k):
    """Let the model run once, and write what comes of it: a letter, or drafts and a letter."""
    size, n = len(Model.parameters[1]), len(Text.tokens)
    # With drafts, with the cache and without, a letter sees the same letters before it.
    start = max(0, -(-(n - size) // STRIDE) * STRIDE)
    if start != Text.start:
        Text.start, Text.reader = start, Reader(CACHE in Model.switches)
    is_drafting = DRAFTING in Model.switches
    drafts, Q = [], []
    for _ in range(min(DRAFTS, start + size - n) if is_drafting else 0):
        scores = np.log(expected_next(Text.tokens + drafts))
        Q.append(probabilities(scores, temperature))
        drafts.append(drawn(Q[-1], Text.rng.random()))
    count = len(drafts)
    logits = Text.reader.score(Text.tokens[start:] + drafts, is_drafting)[-count - 1 :]
    P = np.array([probabilities(kept(row, k), temperature) for row in logits])
    if is_drafting:
        u, v = Text.rng.random(count), Text.rng.random()
        Q = np.array(Q).reshape(count, P.shape[1])
        tokens = check(P, Q, np.array(drafts, dtype=int), u, v)
    else:
        tokens = [drawn(P[0], Text.rng.random())]
    accepted = 0
    while accepted < min(count, len(tokens) - 1) and tokens[accepted] == drafts[accepted]:
        accepted += 1
    Text.reader.forget(count - accepted)
    before, drafted, runs = Text.tally
    Text.tally = [before + accepted, drafted + count, runs + 1]
    for i, token in enumerate(tokens):
        rows = [each[i - count - 1, : n - start + i] for each in Text.reader.weights]
        tally = [before + min(i + 1, accepted), *Text.tally[1:]]
        Text.queue.append((token, P[i], rows, tally))
    Text.tokens += tokens


def expected_next(tokens):
    """Return how often each letter came after the last three, which is all that a draft knows."""
    return Model.follows.get(tuple(tokens[-3:]), 0) + np.full(len(Model.parameters[0]), 1e-3)


def kept(logits, k):
    return call(top_k_top_p, "top_k_filter", logits.shape, logits, k)


def probabilities(logits, temperature):
    name = "token_probabilities"
    p = call(temperature_sampling, name, logits.shape, logits, temperature)
    if not 0 < p.sum() < np.inf or p.min() < 0:
        raise WrongResult(name, f"`{name}` returned numbers that are no probabilities.")
    return p


def drawn(p, u):
    sums = np.cumsum(p)
    return min(int(np.searchsorted(sums, u * sums[-1], side="right")), len(p) - 1)


def check(P, Q, drafts, u, v):
    """Return the tokens that your function writes."""
    found = function_of(speculative_decoding, "check_draft")(P, Q, drafts, u, v)
    letters, most = range(P.shape[1]), len(P)
    is_list = isinstance(found, (list, tuple)) or (isinstance(found, np.ndarray) and found.ndim == 1)
    if not is_list or not 0 < len(found) <= most or any(each not in letters for each in found):
        reason = f"`check_draft` has to return a list of 1 to {most} tokens, and returned {found!r:.40}."
        raise WrongResult("check_draft", reason)
    return [int(each) for each in found]
