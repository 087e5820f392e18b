"""The index of the search; the script that reads it is held to the same table, in Node."""

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.search import SearchEntry, search_index, words
from tests.sitegen.conftest import Site

FRONTEND = Path(__file__).parents[2] / "site" / "frontend"
CASES: dict[str, Any] = json.loads((FRONTEND / "tests" / "search.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "expected"), CASES["words"])
def test_a_text_is_taken_apart(text: str, expected: list[str]) -> None:
    """Letters and digits of any script, without case and accents."""
    assert words(text) == expected


def test_the_index_is_that_of_the_table() -> None:
    """Words in order, each with the pages that have it, and what it counts there."""
    entries = [SearchEntry.from_page(**each) for each in CASES["entries"]]

    assert json.loads(search_index(entries)) == CASES["index"]


def test_a_word_counts_by_where_it_stands() -> None:
    """More in a title than among the concepts, more there than in the text; the rest adds up."""
    entry = SearchEntry.from_page(
        "Mask it", "", "", ("causal-mask",), "A mask, a mask: see the future."
    )

    assert entry.weights["mask"] > entry.weights["it"] > entry.weights["causal"]
    assert entry.weights["causal"] > entry.weights["future"]
    assert "the" not in entry.weights


def test_formulas_are_no_words() -> None:
    """Text between dollar signs is not in the index."""
    assert SearchEntry.from_page("", "", "", (), "where $Q K^T$ is").weights == {}


def test_every_page_with_a_subject_can_be_found(site: Site) -> None:
    """Tracks, lessons, exercises and concepts, each at an address that is there."""
    pages = json.loads(site.asset("search-index.json"))["pages"]
    found = {title: (path, note) for title, path, note in pages}

    assert found["Course"] == ("course/index.html", "Track")
    assert found["Lesson end"] == ("course/lessons/end/index.html", "Lesson 2 · Course")
    assert found["Title of heads"] == (
        "attention/heads/index.html",
        "Exercise 3 · Attention from scratch · intermediate",
    )
    assert found["softmax"] == ("concepts/index.html#concept-softmax", "Concept · 7 exercises")
    for path, _ in found.values():
        assert path.partition("#")[0] in site.pages
    assert "concept-softmax" in {
        each.attributes.get("id") for each in site["concepts/index.html"].elements
    }


def test_the_search_s_page_knows_its_index(site: Site) -> None:
    """By a relative address, so that the site may lie in any folder."""
    page = site["search/index.html"]
    address = page.one("main").attributes["data-index"]

    assert (page.path.parent / address).read_text("utf-8") == site.asset("search-index.json")
    assert address.startswith("../assets/")
