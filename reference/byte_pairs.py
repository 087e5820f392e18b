"""Byte-pair encoding: merges learned from a text, and texts written with them.

Tokens are whole numbers. 0 to 255 are the bytes of UTF-8; the merge learned first makes token 256,
the next one 257, and so on.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

FIRST_NEW = 256  # the number of the token that the first merge makes


def merge_pair(tokens: Iterable[int], pair: tuple[int, int], new: int) -> list[int]:
    """Replace a pair of neighbours by one token, from left to right.

        a a a  with the pair (a, a)  becomes  new a

    Args:
        tokens: Token numbers.
        pair: The two tokens to replace, in their order.
        new: The token that takes their place.

    Returns:
        A new list of tokens.

    Raises:
        ValueError: If the pair does not have two tokens.

    Source:
        Gage, "A New Algorithm for Data Compression" (1994), C Users Journal 12(2).
    """
    left, right = pair
    merged: list[int] = []
    is_open = False  # whether the last token of `merged` is a left one that may still be merged
    for token in map(int, tokens):
        if is_open and token == right:
            merged[-1] = new
            is_open = False
        else:
            merged.append(token)
            is_open = token == left
    return merged


def learn_merges(tokens: Iterable[int], count: int) -> list[tuple[int, int]]:
    """Learn merges: the most frequent pair of neighbours becomes a token, again and again.

    All places of a pair count, also those that overlap. Of equally frequent pairs the one that
    comes first in the text is taken. Learning ends when no pair occurs twice.

    Args:
        tokens: The bytes of a text, numbers from 0 to 255.
        count: How many merges to learn at most, at least 0.

    Returns:
        The pairs, in the order in which they were learned; merge i makes token 256 + i.

    Raises:
        ValueError: If `count` is negative.

    Source:
        Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units"
        (2016), arXiv:1508.07909, algorithm 1; on bytes as in Radford et al., "Language Models are
        Unsupervised Multitask Learners" (2019), section 2.2.
    """
    if count < 0:
        raise ValueError(f"the number of merges is at least 0, got {count}")
    merges: list[tuple[int, int]] = []
    text = list(map(int, tokens))
    for new in range(FIRST_NEW, FIRST_NEW + count):
        counts = Counter(pairwise(text))
        pair, times = max(counts.items(), key=lambda item: item[1], default=((0, 0), 0))
        if times <= 1:
            break
        merges.append(pair)
        text = merge_pair(text, pair, new)
    return merges


def encode(text: str, merges: Sequence[tuple[int, int]]) -> list[int]:
    """Write a text in tokens: its bytes, with the merges applied in the order of learning.

    Args:
        text: Any text.
        merges: What `learn_merges` returned.

    Returns:
        The tokens.

    Raises:
        UnicodeEncodeError: If the text holds half of a surrogate pair.

    Source:
        Radford et al. (2019), section 2.2; Sennrich, Haddow and Birch (2016), arXiv:1508.07909,
        section 3.2.
    """
    tokens = list(text.encode())
    for new, pair in enumerate(merges, FIRST_NEW):
        tokens = merge_pair(tokens, pair, new)
    return tokens


def decode(tokens: Iterable[int], merges: Sequence[tuple[int, int]]) -> str:
    """Turn tokens back into the text.

    The bytes of all tokens are joined before they are read as UTF-8, since a token may end within
    a character.

    Args:
        tokens: Token numbers below 256 + the number of merges.
        merges: What `learn_merges` returned.

    Returns:
        The text. Bytes that are not UTF-8 give the replacement character, U+FFFD.

    Raises:
        IndexError: If a token is not in the vocabulary.

    Source:
        Radford et al. (2019), section 2.2.
    """
    vocabulary = [bytes([byte]) for byte in range(FIRST_NEW)]
    for left, right in merges:
        vocabulary.append(vocabulary[left] + vocabulary[right])
    return b"".join(vocabulary[token] for token in tokens).decode(errors="replace")
