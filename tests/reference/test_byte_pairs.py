import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reference.byte_pairs import decode, encode, learn_merges, merge_pair

FEW_LETTERS = st.text("aab é", max_size=40)


def merges_of_strings(text: str, count: int) -> list[tuple[int, int]]:
    """Learn merges by another way: tokens are characters, and `str.replace` merges."""
    written = "".join(map(chr, text.encode()))
    merges = []
    for new in range(256, 256 + count):
        pairs = [written[i : i + 2] for i in range(len(written) - 1)]
        times = {pair: len(re.findall(f"(?={re.escape(pair)})", written)) for pair in pairs}
        if max(times.values(), default=0) < 2:
            break
        best = next(pair for pair in pairs if times[pair] == max(times.values()))
        merges.append((ord(best[0]), ord(best[1])))
        written = written.replace(best, chr(new))
    return merges


@given(FEW_LETTERS, st.integers(0, 12))
def test_merges_are_those_of_an_implementation_with_strings(text: str, count: int) -> None:
    """`str.replace` works from left to right without overlaps, as a merge does."""
    assert learn_merges(text.encode(), count) == merges_of_strings(text, count)


def test_the_merges_of_the_paper() -> None:
    """As in the paper, low, lower, newest and widest give es, est, and est at the end."""
    words = 5 * ["low"] + 2 * ["lower"] + 6 * ["newest"] + 3 * ["widest"]

    merges = learn_merges("\n".join(words).encode(), 3)

    assert [decode([256 + i], merges) for i in range(3)] == ["es", "est", "est\n"]


@given(FEW_LETTERS, FEW_LETTERS)
def test_a_text_comes_back(learned_from: str, text: str) -> None:
    """Decoding undoes encoding for any merges, and no pair of the merges stays unmerged."""
    merges = learn_merges(learned_from.encode(), 10)

    tokens = encode(text, merges)

    assert decode(tokens, merges) == text
    assert not set(pairwise(tokens)) & set(merges)


def test_neighbours_that_overlap_are_merged_from_the_left() -> None:
    """The first two of three equal tokens become one."""
    assert merge_pair([7, 7, 7], (7, 7), 256) == [256, 7]
    assert merge_pair([7, 8, 7, 7, 8], (7, 8), 256) == [256, 7, 256]


def test_half_a_character_is_replaced() -> None:
    """A token may end within a character; alone, it is not UTF-8."""
    merges = learn_merges("éé".encode(), 1)

    assert decode([195], merges) == "\N{REPLACEMENT CHARACTER}"
    assert decode([256, 195, 169], merges) == "éé"
