"""A toy model with attention: words with ten features, and three heads with hand-set matrices.

A row of X holds a word's features followed by its position. A head is two matrices, W_Q and W_K,
and its weights are softmax(X W_Q (X W_K)ᵀ / √d). Nothing is trained.
`site/frontend/src/figures/attention.ts` computes the same from `toy_data`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Entry: TypeAlias = tuple[int, int, float]  # row, column and value of a non-zero entry of a matrix

TOPICS: Final = ("water", "heat", "time", "metal", "life", "food")
KINDS: Final = ("thing", "action", "quality", "helper")
D_K: Final = 8

# Steps for one full turn of each pair of position features, a cosine and a sine.
_PERIODS: Final = (14.0, 9.0, 5.0, 4.0)
_FEATURES: Final = len(TOPICS) + len(KINDS)
D_MODEL: Final = _FEATURES + 2 * len(_PERIODS)

# The words of each kind, with their amount of each topic in tenths; missing topics are 0.
_WORDS: Final = {
    "thing": """
        spring: water 7, metal 7, time 3; summer: heat 9, time 7; winter: heat -7, time 7;
        autumn: time 8; river: water 10; rain: water 9; water: water 10; well: water 8;
        lake: water 9; sea: water 9; snow: water 6, heat -7; ice: water 7, heat -8;
        bank: water 6, metal 4; sun: heat 10, time 3; fire: heat 10; day: time 8, heat 2;
        night: time 8; morning: time 8; week: time 9; year: time 9; hour: time 9, metal 2;
        season: time 9; clock: metal 9, time 6; watch: metal 8, time 7; machine: metal 9;
        wheel: metal 8; coil: metal 9; steel: metal 9; key: metal 8; bed: metal 4; bolt: metal 8;
        car: metal 8; cat: life 9; dog: life 9; mouse: life 9; bird: life 9; horse: life 9;
        tree: life 7, water 3; flower: life 8, time 3; flowers: life 8, time 3;
        garden: life 7, water 4; grass: life 7, water 3; child: life 8; farmer: life 7, food 4;
        man: life 8; woman: life 8; people: life 8; cook: life 5, food 7; fish: life 7, water 6;
        bread: food 9; milk: food 9; cheese: food 9; apple: food 8, life 3; soup: food 9, heat 4;
        tea: food 7, heat 5, water 4; table: metal 2; house: life 3; king: life 7; queen: life 7;
        word: time 2; book: time 2; mat; bat: life 6; plant: life 7;
    """,
    "action": """
        dried: water 9, heat 5; flowed: water 10; ran: life 6, water 4; froze: water 8, heat -8;
        melted: water 6, heat 8; rained: water 9; bloomed: life 8, time 5; broke: metal 8;
        wound: metal 8, time 3; jumped: life 8; slept: life 8, time 3; sat: life 6;
        ate: life 6, food 9; drank: water 6, food 7, life 3; chased: life 9; saw: life 5;
        cooked: food 9, heat 6; baked: food 9, heat 7; swam: water 9, life 5;
        rusted: metal 9, water 4; ticked: metal 6, time 9; stopped: metal 5, time 5; came: time 5;
        began: time 7; ended: time 7; grew: life 8, water 3; burned: heat 10;
        rang: metal 8, time 5; loves: life 7; teaches: life 7; bites: life 8, food 3;
        shines: heat 8; opens: metal 5; sings: life 7;
    """,
    "quality": """
        hot: heat 10; cold: heat -9; warm: heat 8; dry: water 8, heat 5; wet: water 9;
        deep: water 6; old: time 6, metal 3; long: time 7; late: time 9; early: time 9;
        hungry: life 6, food 9; young: life 8, time 3; broken: metal 8; rusty: metal 9;
        fresh: food 6, water 5; sweet: food 9; green: life 7; small: life 3; big; little: life 3;
        quick: life 5; brown: life 3; lazy: life 6; red; white; steely: metal 8; wild: life 7;
        good; new: time 4;
    """,
    "helper": """
        the; a; an; after; before; up; down; of; in; on; at; to; and; but; with;
        by; its; is; was; over; from; into; for; then; it; they; he; she; not;
        when; while; as; that; this; his; her; under; through; out;
    """,
}
# The kind of an unknown word, by its ending.
_ENDINGS: Final = (("action", r"(ed|ing|es)$"), ("quality", r"(ful|ous|ish|less|ive|ic|y)$"))
_NOT_IN_WORDS: Final = re.compile(r"[^\w'-]|_")


def _parse(text: str) -> Iterator[tuple[str, Array]]:
    for entry in filter(None, map(str.strip, text.split(";"))):
        word, _, amounts = entry.partition(":")
        topics = np.zeros(len(TOPICS))
        for amount in filter(None, map(str.strip, amounts.split(","))):
            name, tenths = amount.split()
            topics[TOPICS.index(name)] = int(tenths) / 10
        yield word, topics


_TOPICS_OF: Final = {
    word: (kind, topics) for kind, text in _WORDS.items() for word, topics in _parse(text)
}


def _row(name: str) -> int:
    return TOPICS.index(name) if name in TOPICS else len(TOPICS) + KINDS.index(name)


def _kinds(column: int, **amounts: float) -> list[Entry]:
    return [(_row(kind), column, amount) for kind, amount in amounts.items()]


def _positions(column: int, periods: Sequence[int], gain: float, steps: int = 0) -> list[Entry]:
    """Copy the position features, turned by some steps, to the columns from `column` on."""
    entries: list[Entry] = []
    for number, period in enumerate(periods):
        row, into = _FEATURES + 2 * period, column + 2 * number
        angle = 2 * np.pi * steps / _PERIODS[period]
        cosine, sine = gain * float(np.cos(angle)), gain * float(np.sin(angle))
        entries += [(row, into, cosine), (row, into + 1, sine)]
        entries += [(row + 1, into, -sine), (row + 1, into + 1, cosine)]
    return entries


def _topics(gain: float) -> list[Entry]:
    return [(row, row, gain) for row in range(len(TOPICS))]


HEADS: Final[dict[str, tuple[list[Entry], list[Entry]]]] = {
    # A thing looks for actions and qualities of its own topic, and they look for it.
    "meaning": (
        _topics(2.6) + _kinds(6, thing=-1.6, action=2.2, quality=2.2) + _kinds(7, helper=0.4),
        _topics(2.6) + _kinds(6, thing=1.6, action=-1.6, quality=-1.2, helper=-0.4),
    ),
    # A helper and a quality look for the next thing, and a thing for its quality or action.
    "grammar": (
        _kinds(0, helper=3.2, quality=3.2) + _kinds(1, action=3.2) + _kinds(2, thing=2.4)
        + _positions(4, (0, 1), 1.9, steps=1),
        _kinds(0, thing=2.2, helper=-1.4, quality=0.2) + _kinds(1, thing=2.0, helper=-1.2)
        + _kinds(2, action=2.4, quality=1.6, helper=-0.4) + _positions(4, (0, 1), 1.9),
    ),
    # Every word looks one step back, because its query is turned back by one step.
    "the word before": (
        _positions(0, (0, 1, 2, 3), 2.3, steps=-1),
        _positions(0, (0, 1, 2, 3), 2.3),
    ),
}  # fmt: skip


def is_known(word: str) -> bool:
    """Return whether the toy model knows a word."""
    return _plain(word) in _TOPICS_OF


def features(words: Sequence[str]) -> Array:
    """Return X, the features and positions of words, shape (n, D_MODEL)."""
    X = np.zeros((len(words), D_MODEL))
    for position, word in enumerate(words):
        stem = _plain(word)
        if stem in _TOPICS_OF:
            kind, X[position, : len(TOPICS)] = _TOPICS_OF[stem]
        else:
            kind = next((name for name, end in _ENDINGS if re.search(end, stem)), "thing")
        X[position, _row(kind)] = 1
        for number, period in enumerate(_PERIODS):
            angle = 2 * np.pi * position / period
            X[position, _FEATURES + 2 * number] = np.cos(angle)
            X[position, _FEATURES + 2 * number + 1] = np.sin(angle)
    return X


def attention_weights(
    words: Sequence[str],
    head: str,
    *,
    mask: bool = False,
    scale: bool = True,
    temperature: float = 1.0,
) -> Array:
    """Return the weights of one head, shape (n, n), with a row per query and a column per key."""
    X = features(words)
    W_Q, W_K = np.zeros((D_MODEL, D_K)), np.zeros((D_MODEL, D_K))
    for W, entries in zip((W_Q, W_K), HEADS[head], strict=True):
        for row, column, value in entries:
            W[row, column] = value
    Q, K = X @ W_Q, X @ W_K
    scores = Q @ K.T / temperature
    if scale:
        scores /= np.sqrt(D_K)
    if mask:
        scores[np.triu_indices(len(words), k=1)] = -np.inf
    return softmax(scores)


def softmax(scores: Array) -> Array:
    """Return the shares of the scores in each row."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return shares


def toy_data() -> dict[str, object]:
    """Return the toy model as JSON types, for a page that computes weights of any sentence."""
    words: dict[str, list[float]] = {}
    for word, (kind, topics) in _TOPICS_OF.items():
        last = int(np.max(np.flatnonzero(topics), initial=-1))
        words[word] = [KINDS.index(kind), *topics[: last + 1].tolist()]
    return {
        "topics": len(TOPICS),
        "kinds": len(KINDS),
        "d_k": D_K,
        "periods": _PERIODS,
        "endings": [[KINDS.index(kind), pattern] for kind, pattern in _ENDINGS],
        "words": words,
        "heads": [{"name": name, "q": q, "k": k} for name, (q, k) in HEADS.items()],
    }


def _plain(word: str) -> str:
    return _NOT_IN_WORDS.sub("", word.lower())
