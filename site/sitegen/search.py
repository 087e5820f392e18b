"""The index of the search page: the pages for each word, and their weights.

`site/frontend/src/pages/search.ts` reads it, and splits a query as `words` splits a text.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

SCHEMA: Final = "etude/search/v1"
INDEX_ASSET: Final = "search-index.json"

# The weight of a word in a title, a subject and a body.
_TITLE, _SUBJECT, _BODY = 12, 6, 1
# Repetitions of a word in a body that count; more add nothing.
_MAX_BODY_COUNT: Final = 4
_WORD: Final = re.compile(r"[^\W_]+")
_UNSAID: Final = re.compile(r"\$[^$]*\$|\]\([^)\s]*\)")  # formulas and link addresses
# Words that occur in every text, so that they do not distinguish pages.
_COMMON_WORDS: Final = """
a all an and any are as at be but by can do does each for from has have how if in into is it its
more no not of on one only or so than that the their them then there these they this to two use was
we what when where which who why will with you your
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """A page that can be found."""

    title: str
    path: str
    note: str  # the kind of page, shown below the title
    weights: Mapping[str, int]  # the weight of each word

    @classmethod
    def from_page(
        cls, title: str, path: str, note: str, subjects: Iterable[str] = (), body: str = ""
    ) -> "SearchEntry":
        """Compute the weights of a page's words.

        Args:
            subjects: Concepts and names in code.
            body: Markdown.
        """
        total: Counter[str] = Counter()
        for word, count in Counter(words(_UNSAID.sub(" ", body))).items():
            if word not in _COMMON and len(word) > 1:
                total[word] += _BODY * min(count, _MAX_BODY_COUNT)
        for text in subjects:
            total.update(dict.fromkeys(words(text), _SUBJECT))
        total.update(dict.fromkeys(words(title), _TITLE))
        return cls(title, path, note, dict(total))


def words(text: str) -> list[str]:
    """Return the words of a text: letters and digits, in lower case and without accents."""
    lower = text.lower()
    if not lower.isascii():
        apart = unicodedata.normalize("NFKD", lower)  # separates accents from letters
        lower = "".join(word for word in apart if not unicodedata.combining(word))
    return _WORD.findall(lower)


def search_index(entries: Sequence[SearchEntry]) -> str:
    """Return the index as JSON.

    `words` are sorted. For each of them `found` has pairs of a page's number, as the difference to
    the previous one, and a weight.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(entries):
        for word, weight in entry.weights.items():
            places[word] += (number, weight)
    for pairs in places.values():
        numbers = pairs[::2]
        pairs[::2] = [after - before for before, after in pairwise((0, *numbers))]
    in_order = sorted(places, key=lambda word: word.encode("utf-16-be"))  # JavaScript's sort order
    index = {
        "schema": SCHEMA,
        "pages": [[entry.title, entry.path, entry.note] for entry in entries],
        "words": in_order,
        "found": [places[word] for word in in_order],
    }
    return json.dumps(index, ensure_ascii=False, separators=(",", ":")) + "\n"
