"""Each format against what its reader takes, and against what a learner may put into it."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.definitions.exercise import ExerciseId, TestId
from grader.errors import UsageError
from grader.grading.verdict import Outcome, TestResult, Verdict
from grader.reports.formats import FORMATS, format_named
from grader.reports.report import Batch, Report
from grader.reports.schema import verdict_schema_text
from grader.reports.to_github import command

Cases: TypeAlias = dict[str, Report | Batch]
Validate: TypeAlias = Callable[[object, Mapping[str, Any]], list[str]]
JSON = [name for name in FORMATS if name not in {"text", "plain", "jsonl", "junit", "github", "markdown", "html", "csv"}]  # fmt: skip
AS_IT_IS = {"json", "jsonl", "text"}  # show what is in a verdict, which is safe by itself
FOR_LEARNERS = ["gradescope", "classroom50", "github", "exercism", "prairielearn"]

_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_NAME = {"type": "string", "minLength": 1}
_TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}

# What each reader's documentation says of the file, in our words.
SCHEMAS: dict[str, Mapping[str, Any]] = {
    "gradescope": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "score": {"type": "number"},
            "execution_time": {"type": "number", "minimum": 0},
            "output": _TEXT,
            "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
            "test_output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
            "test_name_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
            "visibility": {"enum": ["visible", "hidden", "after_due_date", "after_published"]},
            "stdout_visibility": {"enum": ["visible", "hidden", "after_due_date", "after_published"]},
            "extra_data": {"type": "object"},
            "tests": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "score": {"type": "number"},
                        "max_score": {"type": "number"},
                        "status": {"enum": ["passed", "failed"]},
                        "name": _NAME,
                        "number": {"type": "string", "pattern": r"^\d+(\.\d+)*$"},
                        "output": _TEXT,
                        "tags": {"type": "array", "items": _TEXT},
                        "visibility": {"enum": ["visible", "hidden", "after_due_date", "after_published"]},
                        "extra_data": {"type": "object"},
                    },
                },
            },
        },
    },
    "classroom50": {
        "type": "object",
        "additionalProperties": False,
        "required": ["schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review", "datetime", "score", "max-score", "tests"],
        "properties": {
            "schema": {"const": "classroom50/result/v1"},
            "classroom": _NAME,
            "assignment": _NAME,
            "assignment_type": {"enum": ["individual", "group", "team"]},
            "owner": _NAME,
            "submission": {"type": "string", "pattern": "^submit/"},
            "commit": _NAME,
            "release": _NAME,
            "review": _NAME,
            "datetime": _TIME,
            "graded_at": _TIME,
            "score": _COUNT,
            "max-score": _COUNT,
            "tests": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["test-name", "passed", "score", "max-score"],
                    "properties": {
                        "test-name": _NAME,
                        "passed": {"type": "boolean"},
                        "score": _COUNT,
                        "max-score": _COUNT,
                    },
                },
            },
        },
    },
    "exercism": {
        "type": "object",
        "additionalProperties": False,
        "required": ["version", "status", "tests"],
        "properties": {
            "version": {"const": 3},
            "status": {"enum": ["pass", "fail", "error"]},
            "message": {"type": ["string", "null"], "maxLength": 65_535},
            "tests": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name", "status"],
                    "properties": {
                        "name": _NAME,
                        "status": {"enum": ["pass", "fail", "error"]},
                        "message": {"type": "string", "maxLength": 65_535},
                        "output": {"type": "string", "maxLength": 500},
                        "test_code": _TEXT,
                        "task_id": {"type": "integer"},
                    },
                },
            },
        },
    },
    "prairielearn": {
        "type": "object",
        "required": ["gradable", "message"],
        "properties": {
            "gradable": {"type": "boolean"},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "format_errors": {"type": "array", "items": _TEXT},
            "message": _TEXT,
            "output": _TEXT,
            "tests": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "points", "max_points"],
                    "properties": {
                        "name": _NAME,
                        "description": _TEXT,
                        "points": {"type": "number"},
                        "max_points": {"type": "number"},
                        "message": _TEXT,
                        "output": _TEXT,
                    },
                },
            },
        },
    },
    "ctrf": {
        "type": "object",
        "additionalProperties": False,
        "required": ["reportFormat", "specVersion", "results"],
        "properties": {
            "reportFormat": {"const": "CTRF"},
            "specVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
            "generatedBy": _TEXT,
            "results": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool", "summary", "tests"],
                "properties": {
                    "tool": {"type": "object", "required": ["name"], "additionalProperties": False, "properties": {"name": _NAME, "version": _TEXT}},
                    "summary": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"],
                        "properties": {**dict.fromkeys(("tests", "passed", "failed", "skipped", "pending", "other", "suites", "start", "stop"), _COUNT), "extra": {"type": "object"}},
                    },
                    "tests": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["name", "status", "duration"],
                            "properties": {
                                "name": _NAME,
                                "status": {"enum": ["passed", "failed", "skipped", "pending", "other"]},
                                "duration": _COUNT,
                                "suite": {"type": "array", "minItems": 1, "items": _TEXT},
                                "message": _TEXT,
                                "line": {"type": "integer"},
                                "rawStatus": _TEXT,
                                "filePath": _TEXT,
                                "stdout": {"type": "array", "items": _TEXT},
                                "labels": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
                            },
                        },
                    },
                    "environment": {"type": "object", "additionalProperties": False, "properties": {"healthy": {"type": "boolean"}}},
                },
            },
        },
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def _runner(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLASSROOM", "ASSIGNMENT", "COMMIT_URL", "RELEASE_URL", "USERNAME"):
        monkeypatch.setenv(name, name.lower())
    monkeypatch.setenv("SUBMISSION_TAG", "submit/1")
    monkeypatch.delenv("MODE", raising=False)


def rendered(name: str, wanted: Report | Batch) -> str:
    renderer = FORMATS[name].renderer()
    return renderer.one(wanted) if isinstance(wanted, Report) else renderer.many(wanted)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_json_for_others_is_what_their_schema_says(
    name: str, cases: Cases, validate: Validate
) -> None:
    """Types, names and limits, for every kind of result."""
    for case, wanted in cases.items():
        assert (case, validate(json.loads(rendered(name, wanted)), SCHEMAS[name])) == (case, [])


def test_our_json_is_what_its_published_schema_says(cases: Cases, validate: Validate) -> None:
    """One submission, a batch, and each line of JSON Lines."""
    schema = json.loads(verdict_schema_text())
    for wanted in cases.values():
        assert validate(json.loads(rendered("json", wanted)), schema) == []
        for line in rendered("jsonl", wanted).splitlines():
            assert validate(json.loads(line), schema) == []


def test_the_published_schema_refuses_what_is_none(cases: Cases, validate: Validate) -> None:
    """A fault with a score, a verdict without one, and an outcome that does not exist."""
    schema = json.loads(verdict_schema_text())
    fault = json.loads(rendered("json", cases["fault"]))
    verdict = json.loads(rendered("json", cases["fail"]))
    assert validate({**fault, "score": 0}, schema)
    assert validate({**verdict, "outcome": "fine"}, schema)
    assert validate({key: value for key, value in verdict.items() if key != "score"}, schema)


def test_the_schema_names_every_field_of_a_verdict(cases: Cases) -> None:
    """What is printed is described, and required."""
    schema = json.loads(verdict_schema_text())["$defs"]
    verdict = json.loads(rendered("json", cases["fail"]))
    assert set(verdict) == set(schema["verdict"]["required"])
    assert set(verdict["tests"][0]) == set(schema["test"]["required"])
    assert set(verdict["diagnosis"]) == set(schema["diagnosis"]["required"])


@pytest.mark.parametrize("name", ["gradescope", "classroom50", "prairielearn"])
def test_points_add_up(name: str, cases: Cases) -> None:
    """The sum is that of the tests, for one submission and for several."""
    for case in ("pass", "fail", "load", "homework"):
        data = json.loads(rendered(name, cases[case]))
        key = {"prairielearn": "points"}.get(name, "score")
        most = {"classroom50": "max-score", "prairielearn": "max_points"}.get(name, "max_score")
        total = sum(test[key] for test in data["tests"])
        possible = sum(test[most] for test in data["tests"])
        assert data["score"] == (total / possible if name == "prairielearn" else total)


@pytest.mark.parametrize("case", ["fault", "homework-fault"])
def test_a_fault_has_no_score_anywhere(case: str, cases: Cases) -> None:
    """Each reader gets what it takes for "not graded", never a zero."""
    data = {name: json.loads(rendered(name, cases[case])) for name in SCHEMAS}
    assert not {"score", "tests"} & data["gradescope"].keys()
    assert (data["classroom50"]["max-score"], data["classroom50"]["tests"]) == (0, [])
    assert data["exercism"]["status"] == "error"
    assert data["exercism"]["message"]
    assert data["prairielearn"]["gradable"] is False
    assert "score" not in data["prairielearn"]
    assert data["ctrf"]["results"]["summary"]["other"] == 1
    assert data["ctrf"]["results"]["summary"]["extra"] == {}
    root = ET.fromstring(rendered("junit", cases[case]))  # noqa: S314  our own
    assert root.get("errors") == "1"
    rows = list(csv.DictReader(io.StringIO(rendered("csv", cases[case]), newline="")))
    assert [rows[-1][key] for key in ("outcome", "score", "max_score")] == ["grader fault", "", ""]
    for name in ("text", "plain", "markdown", "html", "json", "jsonl"):
        assert "grader fault" in rendered(name, cases[case]).lower()


@pytest.mark.parametrize("name", FOR_LEARNERS)
def test_what_a_learner_reads_of_a_fault_quotes_nothing(name: str, cases: Cases) -> None:
    """A fault's message may quote a hidden test; it is for whoever runs the grader."""
    renderer = FORMATS[name].renderer()
    for case in ("fault", "homework-fault"):
        wanted = cases[case]
        assert "FAULT-REASON" not in rendered(name, wanted)
        if renderer.aside is not None:
            batch = wanted if isinstance(wanted, Batch) else Batch((wanted,))
            assert "FAULT-REASON" not in renderer.aside(batch)


def test_a_problem_with_loading_is_no_green_run(cases: Cases) -> None:
    """Tests that were not run count as skipped, so what kept them from it is a test case, too."""
    root = ET.fromstring(rendered("junit", cases["load"]))  # noqa: S314  our own
    assert (root.get("errors"), root.get("skipped"), root.get("tests")) == ("1", "2", "3")
    summary = json.loads(rendered("ctrf", cases["load"]))["results"]["summary"]
    assert (summary["failed"], summary["skipped"]) == (1, 2)
    assert json.loads(rendered("exercism", cases["load"]))["status"] == "error"
    assert json.loads(rendered("prairielearn", cases["load"]))["score"] == 0
    assert rendered("github", cases["load"]).startswith("::error file=ada.py,line=1,")


def test_junit_has_the_shape_that_readers_know(cases: Cases) -> None:
    """Elements, their order and attributes as in xunit2; counts that are true."""
    allowed = {
        "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        "testcase": {"classname", "name", "time"},
        "properties": set(),
        "property": {"name", "value"},
        "failure": {"type", "message"},
        "error": {"type", "message"},
        "skipped": {"message"},
        "system-out": set(),
    }
    for wanted in cases.values():
        root = ET.fromstring(rendered("junit", wanted))  # noqa: S314  our own
        for element in root.iter():
            assert set(element.attrib) <= allowed[element.tag]
        for suite in root:
            found = suite.findall("testcase")
            assert suite.get("tests") == str(len(found))
            for count, tag in (
                ("failures", "failure"),
                ("errors", "error"),
                ("skipped", "skipped"),
            ):
                assert suite.get(count) == str(len(suite.findall(f"testcase/{tag}")))
            for case in found:
                problems = [child for child in case if child.tag in {"failure", "error", "skipped"}]
                assert len(problems) <= 1


def test_junit_keeps_points_as_properties(cases: Cases) -> None:
    """Readers drop attributes that they do not know."""
    root = ET.fromstring(rendered("junit", cases["fail"]))  # noqa: S314  our own
    points = [
        int(each.get("value", "")) for each in root.findall(".//testcase//property[@name='points']")
    ]
    assert sum(points) == 2
    assert [
        each.get("value") for each in root.findall("./testsuite/properties/property[@name='score']")
    ] == ["2"]


def test_exercism_s_limits_hold() -> None:
    """A long message, a long output, and many of both."""
    tests = tuple(_result(f"t{n}", "m" * 70_000, "o" * 9_000) for n in range(12))
    data = rendered("exercism", _report(tests))
    assert len(data.encode()) < 500_000
    (first, *_) = json.loads(data)["tests"]
    assert len(first["output"]) == 500
    assert first["output"].endswith("Please limit to 500 chars]")


def test_prairielearn_s_limit_holds() -> None:
    """The file stays under a megabyte."""
    tests = tuple(_result(f"t{n}", "m" * 60_000, "o" * 60_000) for n in range(12))
    assert len(rendered("prairielearn", _report(tests)).encode()) < 1_000_000


def test_a_job_summary_is_no_longer_than_a_mebibyte() -> None:
    """What is left out is said."""
    tests = tuple(_result(f"t{n}", "\u00e9" * 60_000, "o" * 60_000) for n in range(12))
    aside = FORMATS["github"].renderer().aside
    assert aside is not None
    summary = aside(Batch((_report(tests),)))
    assert len(summary.encode()) <= 1 << 20
    assert "1 MiB" in summary[-100:]


def test_github_gets_ten_annotations_at_most() -> None:
    """The last one says how many there would have been."""
    tests = tuple(_result(f"t{n}", "wrong") for n in range(25))
    errors = [
        each
        for each in rendered("github", _report(tests)).splitlines()
        if each.startswith("::error")
    ]
    assert len(errors) == 10
    assert errors[-1] == "::error::16 more did not pass; the job summary has them all."


def test_a_workflow_command_is_escaped() -> None:
    """Per cent and line ends everywhere, colon and comma in properties."""
    made = command("error", "50%\r\n::error::x", title="a:b,c%", line=3, file=None)
    assert made == "::error title=a%3Ab%2Cc%25,line=3::50%25%0D%0A::error::x"


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


@settings(max_examples=60, deadline=None)
@given(odd=ODD)
def test_nothing_a_learner_words_breaks_a_format(odd: str) -> None:
    """Messages, outputs and names of any characters: each file is read as it was meant."""
    tests = (_result("t", f"x {odd}", f"{odd}\n"), _result("u", odd, odd, Outcome.ERRORED))
    for wanted in (_report(tests, odd), Batch((_report(tests, odd, f"s{odd}"),))):
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


@settings(max_examples=60, deadline=None)
@given(odd=ODD)
def test_nothing_a_learner_words_becomes_markdown(odd: str) -> None:
    """No link, picture, heading or HTML; the table keeps its columns."""
    tests = (_result("t", f"x {odd}", odd), _result("u", "fine", "", Outcome.ERRORED))
    text = rendered("markdown", _report(tests, odd))
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
    report = _report((_result("t", "=HYPERLINK(1)"),), student="@sum(a)")
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
    assert '<td class="h2">2/9</td>' in rendered("html", cases["batch"])


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in AS_IT_IS])
def test_a_hidden_test_shows_its_id_and_message_only(name: str) -> None:
    """Even if a result of a hidden test had a description or an output."""
    secret = TestResult(
        TestId("secret"), "CANARY-1", True, Outcome.FAILED, 0, 1, "Wrong.", None, "CANARY-2"
    )
    for wanted in (_report((secret,)), Batch((_report((secret,), student="s"),))):
        assert "CANARY" not in rendered(name, wanted)


def test_every_format_is_found_by_its_name() -> None:
    """And a name that is nearly one gets a suggestion."""
    for name, each in FORMATS.items():
        assert each.renderer().name == name
        assert each.description
    with pytest.raises(UsageError, match="did you mean 'junit'"):
        format_named("junti")


def _result(
    name: str, message: str, output: str = "", outcome: Outcome = Outcome.FAILED
) -> TestResult:
    return TestResult(TestId(name), name, False, outcome, 0, 1, message, None, output)


def _report(tests: tuple[TestResult, ...], output: str = "", student: str | None = None) -> Report:
    made = Verdict(
        exercise=ExerciseId("double"),
        title="Double it",
        outcome=Outcome.FAILED,
        message="",
        line=None,
        tests=tests,
        output=output,
        hidden_elsewhere=0,
        xp=0,
        sandbox="namespaces",
        exercise_hash="",
        submission_hash="",
        grader_version="",
    )
    return Report("double", "double.py", "failed", made, student=student)
