"""The extension for Sphinx, in a book of reStructuredText; the sample book is in Markdown."""

import shutil
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.errors import ConfigError

EXTENSION = Path(__file__).parents[2] / "integrations" / "book" / "etude_exercise.py"
PAGE = """Scores
======

.. etude-exercise:: attention/scaled-scores/

   Scale the "scores"
"""


def build(folder: Path, builder: str, site: str) -> Path:
    """Build the book; return the folder of the output."""
    folder.mkdir(exist_ok=True)
    shutil.copy(EXTENSION, folder)
    (folder / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(folder)!r})\n"
        f"extensions = ['etude_exercise']\netude_site_url = {site!r}\n"
    )
    (folder / "index.rst").write_text(PAGE)
    output = folder / builder
    app = Sphinx(
        folder, folder, output, folder / "trees", builder, status=None, warningiserror=True
    )
    app.build()
    return output


def test_a_page_has_the_element_and_its_script(tmp_path: Path) -> None:
    """With the link inside, and once, whether or not the site's address ends with a slash."""
    html = (build(tmp_path, "html", "https://e.org/np") / "index.html").read_text()
    address = "https://e.org/np/attention/scaled-scores/"
    inside = f'<a href="{address}">Scale the &quot;scores&quot;</a>'
    assert f'<etude-exercise src="{address}">{inside}</etude-exercise>' in html
    assert '<script defer="defer" src="https://e.org/np/embed.js' in html
    assert html.count(address) == 2


def test_other_formats_have_a_link(tmp_path: Path) -> None:
    """A PDF has a link to the exercise, too."""
    page = next(build(tmp_path, "latex", "https://e.org/np/").glob("*.tex")).read_text()
    assert r"\sphinxhref{https://e.org/np/attention/scaled-scores/}{Scale the" in page
    assert "etude-exercise" not in page


def test_a_book_has_to_name_its_site(tmp_path: Path) -> None:
    """The sentence says where."""
    with pytest.raises(ConfigError, match=r"set etude_site_url in conf\.py"):
        build(tmp_path, "html", "")
