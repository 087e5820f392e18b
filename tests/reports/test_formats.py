"""Each format against what a learner may put into it, and against what may not be in it."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.definitions.exercise import TestId
from grader.errors import UsageError
from grader.grading.results.verdict import Outcome, TestResult
from grader.reports.formats import FORMATS, find_function, format_named
from grader.reports.report import Batch, Report
from grader.reports.to_tables import safe_cell
from tests.reports.conftest import failed, report_of

Cases: TypeAlias = dict[str, Report | Batch]
JSON = [name for name in FORMATS if name not in {"text", "plain", "jsonl", "junit", "github", "markdown", "html", "csv", "gradebook", "moodle"}]  # fmt: skip
AS_IT_IS = {"json", "jsonl", "text"}  # show what is in a verdict, which is safe by itself
FOR_LEARNERS = ["gradescope", "classroom50", "github", "exercism", "prairielearn"]

pytestmark = pytest.mark.usefixtures("classroom")


def rendered(name: str, wanted: Report | Batch) -> str:
    return FORMATS[name].render(wanted)


@pytest.mark.parametrize("name", FOR_LEARNERS)
def test_what_a_learner_reads_of_a_fault_quotes_nothing(name: str, cases: Cases) -> None:
    """A fault's message may quote a hidden test; it is for the person who runs the grader."""
    renderer = FORMATS[name]
    for case in ("fault", "homework-fault"):
        wanted = cases[case]
        assert "FAULT-REASON" not in rendered(name, wanted)
        if renderer.appendix:
            batch = wanted if isinstance(wanted, Batch) else Batch((wanted,))
            assert "FAULT-REASON" not in find_function(renderer.appendix)(batch)


ODD = st.text(max_size=60) | st.sampled_from(
    ["\x1b[31m", "\r\n::error::pwned", "]]>", "</pre><script>x</script>", "```\n# h", "\ufffe\uffff\x00", "\ud800", "![i](http://x)", "<img src=x onerror=y>", "=cmd()", "a | b", "http://evil.example www.evil.example", "\u2028\u202e"]
)  # fmt: skip


class _Tags(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


@given(odd=ODD)
def test_nothing_a_learner_words_breaks_a_format(odd: str) -> None:
    """Messages, outputs and names of any characters: each file is read as it was meant."""
    tests = (failed("t", f"x {odd}", f"{odd}\n"), failed("u", odd, odd, Outcome.ERRORED))
    for wanted in (report_of(tests, odd), Batch((report_of(tests, odd, f"s{odd}"),))):
        for name in JSON:
            if isinstance(wanted, Report) or not FORMATS[name].one_student:
                json.loads(rendered(name, wanted).encode("utf-8"))
        root = ET.fromstring(rendered("junit", wanted).encode())  # noqa: S314  our own
        assert len(root.findall(".//testcase")) == 2
        lines = rendered("github", wanted).split("\n")
        assert all(re.match(r"::(error|notice) ", each) for each in lines[:-1])
        rows = list(csv.reader(io.StringIO(rendered("csv", wanted), newline="")))
        assert [len(row) for row in rows] == [15, 15]
        assert not any(cell[:1] in {"=", "+", "-", "@"} for cell in rows[1])
        page = _Tags()
        page.feed(rendered("html", wanted))
        assert not {"script", "img", "a", "iframe", "link", "form", "svg"} & set(page.tags)
        assert page.attributes <= {
            "lang",
            "charset",
            "http-equiv",
            "content",
            "name",
            "class",
            "scope",
        }
        assert "\x1b" not in rendered("plain", wanted)


@pytest.mark.parametrize(
    "begin", ["=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
)
def test_no_cell_is_a_formula(begin: str) -> None:
    """What a spreadsheet would compute, also in the wide letters of East Asia, is marked as text."""
    assert safe_cell(f"{begin}1+1") == f"'{begin}1+1"


@given(odd=ODD)
def test_nothing_a_learner_words_becomes_markdown(odd: str) -> None:
    """No link, picture, heading or HTML; the table keeps its columns."""
    tests = (failed("t", f"x {odd}", odd), failed("u", "fine", "", Outcome.ERRORED))
    text = rendered("markdown", report_of(tests, odd))
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(text)
    kinds = [token.type for token in tokens]
    assert kinds.count("heading_open") == 1
    assert kinds.count("tr_open") == 3
    assert "html_block" not in kinds
    inner = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inner} - {
        "text",
        "text_special",
        "softbreak",
        "strong_open",
        "strong_close",
        "html_inline",
    }
    assert {child.content for child in inner if child.type == "html_inline"} <= {"<!-- -->"}


def test_a_formula_is_text_in_a_spreadsheet() -> None:
    """Names and messages that begin like a formula are marked as text; numbers stay numbers."""
    report = report_of((failed("t", "=HYPERLINK(1)"),), student="@sum(a)")
    (row,) = csv.DictReader(io.StringIO(rendered("csv", report), newline=""))
    assert (row["student"], row["message"]) == ("'@sum(a)", "'=HYPERLINK(1)")
    assert row["score"] == "0"


def test_a_page_stands_alone(cases: Cases) -> None:
    """No script, nothing to be loaded, both colour schemes, and a policy that holds it to that."""
    for case in ("fail", "batch"):
        page = rendered("html", cases[case])
        assert not re.search(r"\b(src|href)=|url\(|@import|<script", page)
        assert "default-src &#x27;none&#x27;" in page
        assert "color-scheme: light dark" in page
    assert '<td class="div-12">2/9</td>' in rendered("html", cases["batch"])


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in AS_IT_IS])
def test_a_hidden_test_shows_its_id_and_message_only(name: str) -> None:
    """Even if a result of a hidden test had a description or an output."""
    secret = TestResult(
        TestId("secret"), "CANARY-1", True, Outcome.FAILED, 0, 1, "Wrong.", None, "CANARY-2"
    )
    for wanted in (report_of((secret,)), Batch((report_of((secret,), student="s"),))):
        assert "CANARY" not in rendered(name, wanted)


def test_every_format_is_found_by_its_name() -> None:
    """And a name that is nearly one gets a suggestion."""
    for name, each in FORMATS.items():
        assert (each.name, callable(find_function(each.batch))) == (name, True)
        assert each.description
    with pytest.raises(UsageError, match="did you mean 'junit'"):
        format_named("junti")
