"""The index of the search page: which words lead to which pages, and how much each counts.

`site/frontend/src/pages/search.ts` reads it, and takes a query apart as `words` does a text.
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

_TITLE, _SUBJECT, _BODY = 12, 6, 1  # what a word counts there
_MAX_OF_BODY: Final = 4  # a word that is used often says no more
_WORD: Final = re.compile(r"[^\W_]+")
_UNSAID: Final = re.compile(r"\$[^$]*\$|\]\([^)\s]*\)")  # formulas, and addresses of links
# Words that are in every text, so that they tell no page from another.
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
    note: str  # the kind of page, below the title
    weights: Mapping[str, int]  # how much each word counts

    @classmethod
    def from_page(
        cls, title: str, path: str, note: str, subjects: Iterable[str] = (), body: str = ""
    ) -> "SearchEntry":
        """Weigh the words of a page.

        Args:
            subjects: Concepts, and names of code.
            body: Markdown.
        """
        total: Counter[str] = Counter()
        for word, count in Counter(words(_UNSAID.sub(" ", body))).items():
            if word not in _COMMON and len(word) > 1:
                total[word] += _BODY * min(count, _MAX_OF_BODY)
        for text in subjects:
            total.update(dict.fromkeys(words(text), _SUBJECT))
        total.update(dict.fromkeys(words(title), _TITLE))
        return cls(title, path, note, dict(total))


def words(text: str) -> list[str]:
    """The words of a text: letters and digits, in lower case and without accents."""
    lower = text.lower()
    if not lower.isascii():
        apart = unicodedata.normalize("NFKD", lower)  # an accent is a character of its own
        lower = "".join(each for each in apart if not unicodedata.combining(each))
    return _WORD.findall(lower)


def search_index(entries: Sequence[SearchEntry]) -> str:
    """The index as JSON.

    `words` are in order; `found` has for each of them pairs of a page's number, counted from the
    one before it, and a weight.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(entries):
        for word, weight in entry.weights.items():
            places[word] += (number, weight)
    for pairs in places.values():
        numbers = pairs[::2]
        pairs[::2] = [after - before for before, after in pairwise((0, *numbers))]
    in_order = sorted(places, key=lambda word: word.encode("utf-16-be"))  # as JavaScript compares
    index = {
        "schema": SCHEMA,
        "pages": [[entry.title, entry.path, entry.note] for entry in entries],
        "words": in_order,
        "found": [places[word] for word in in_order],
    }
    return json.dumps(index, ensure_ascii=False, separators=(",", ":")) + "\n"
