"""Links from page to page, wherever the site lies."""

import pytest

from sitegen.links import relative_link


@pytest.mark.parametrize(
    ("page", "target", "link"),
    [
        ("index.html", "index.html", "index.html"),
        ("index.html", "attention/gelu/index.html", "attention/gelu/index.html"),
        ("index.html", "", "./"),
        ("attention/index.html", "", "../"),
        ("attention/index.html", "attention/gelu/index.html", "gelu/index.html"),
        ("attention/gelu/index.html", "attention/gelu/exercise.json", "exercise.json"),
        ("attention/gelu/index.html", "attention/index.html", "../index.html"),
        ("attention/gelu/index.html", "attention/relu/index.html", "../relu/index.html"),
        ("attention/gelu/index.html", "attention-2/gelu/index.html", "../../attention-2/gelu/index.html"),
        ("attention/gelu/index.html", "warmup/gelu/index.html", "../../warmup/gelu/index.html"),
        ("attention/lessons/masks/index.html", "assets/site.css", "../../../assets/site.css"),
        ("attention/gelu/index.html", "pyodide/", "../../pyodide/"),
        ("attention/gelu/index.html", "attention/", "../"),
        ("attention/gelu/index.html", "attention/gelu/", "./"),
    ],
)  # fmt: skip
def test_a_link_leads_from_the_folder_of_its_page(page: str, target: str, link: str) -> None:
    """By the shortest way; a folder's ends in a slash."""
    assert relative_link(target, page=page) == link
