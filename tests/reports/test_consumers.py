"""Each format as its consumer reads it: by its schema, its parser, or the rules that it publishes.

The schemas of others are written from what their documentation says, see `schemas/`.
"""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from jsonschema import Draft202012Validator
from junitparser import Error, Failure, JUnitXml, Properties, Skipped

from grader.grading.results.verdict import Outcome, TestResult
from grader.reports.formats import FORMATS
from grader.reports.report import Batch, Report
from grader.reports.to_github import command, job_summary
from grader.reports.to_json import verdict_schema_text
from tests.reports.conftest import failed, report_of

Cases: TypeAlias = dict[str, Report | Batch]

SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    path.stem: json.loads(path.read_text())
    for path in sorted((Path(__file__).parent / "schemas").glob("*.json"))
}

pytestmark = pytest.mark.usefixtures("classroom")


def rendered(name: str, wanted: Report | Batch) -> str:
    return FORMATS[name].render(wanted)


def wrong_in(value: object, schema: Mapping[str, Any]) -> list[str]:
    checker = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(value)]


# Schemas


@pytest.mark.parametrize("name", SCHEMAS)
def test_json_for_others_is_what_their_schema_says(name: str, cases: Cases) -> None:
    """Types, names and limits, for every kind of result."""
    Draft202012Validator.check_schema(SCHEMAS[name])
    for case, wanted in cases.items():
        data = json.loads(rendered(name, wanted))
        assert (case, wrong_in(data, SCHEMAS[name])) == (case, [])


SPOILED: dict[str, tuple[str, dict[str, Any]]] = {
    "gradescope": ("fail", {"visibility": "to all"}),
    "classroom50": ("fail", {"score": 2.5}),
    "exercism": ("pass", {"message": "All is well."}),
    "prairielearn": ("fault", {"score": 0}),
    "ctrf": ("pass", {"points": 4}),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_refuses_what_its_consumer_would(name: str, cases: Cases) -> None:
    """Otherwise it would prove nothing: an unknown word, a fraction, a misplaced field."""
    case, change = SPOILED[name]
    data = json.loads(rendered(name, cases[case]))
    assert wrong_in({**data, **change}, SCHEMAS[name])


def test_our_json_is_what_its_published_schema_says(cases: Cases) -> None:
    """One submission, a batch, and each line of JSON Lines."""
    schema = json.loads(verdict_schema_text())
    Draft202012Validator.check_schema(schema)
    for wanted in cases.values():
        assert wrong_in(json.loads(rendered("json", wanted)), schema) == []
        for line in rendered("jsonl", wanted).splitlines():
            assert wrong_in(json.loads(line), schema) == []


def test_the_published_schema_refuses_what_is_none(cases: Cases) -> None:
    """A fault with a score, a verdict without one, and an outcome that does not exist."""
    schema = json.loads(verdict_schema_text())
    fault = json.loads(rendered("json", cases["fault"]))
    verdict = json.loads(rendered("json", cases["fail"]))
    assert wrong_in({**fault, "score": 0}, schema)
    assert wrong_in({**verdict, "outcome": "fine"}, schema)
    assert wrong_in({key: value for key, value in verdict.items() if key != "score"}, schema)


def test_the_schema_names_every_field_of_a_verdict(cases: Cases) -> None:
    """What is printed is described, and required."""
    schema = json.loads(verdict_schema_text())["$defs"]
    verdict = json.loads(rendered("json", cases["fail"]))
    assert set(verdict) == set(schema["verdict"]["required"])
    assert set(verdict["tests"][0]) == set(schema["test"]["required"])
    assert set(verdict["diagnosis"]) == set(schema["diagnosis"]["required"])


# Points and faults


@pytest.mark.parametrize("name", ["gradescope", "classroom50", "prairielearn"])
def test_points_add_up(name: str, cases: Cases) -> None:
    """The sum is that of the tests, for one submission and for several; none is above its most."""
    for case in ("pass", "fail", "load", "homework"):
        data = json.loads(rendered(name, cases[case]))
        key = {"prairielearn": "points"}.get(name, "score")
        most = {"classroom50": "max-score", "prairielearn": "max_points"}.get(name, "max_score")
        total = sum(test[key] for test in data["tests"])
        possible = sum(test[most] for test in data["tests"])
        assert data["score"] == (total / possible if name == "prairielearn" else total)
        assert all(test[key] <= test[most] for test in data["tests"])


@pytest.mark.parametrize("case", ["hidden", "homework"])
def test_gradescope_holds_back_what_hidden_tests_say(case: str, cases: Cases) -> None:
    """The sum, the diagnosis and the example would tell of them before it is time."""
    held = json.loads(rendered("gradescope", replace(cases[case], hidden_tests="after_due_date")))
    for test in held["tests"]:
        is_hidden = test["extra_data"]["hidden"]
        assert test["visibility"] == ("after_due_date" if is_hidden else "visible")
    assert "their results are shown after the due date." in held["output"]
    for told in (" XP", "Try it", "Hint"):
        assert told not in held["output"]


@pytest.mark.parametrize("case", ["fault", "homework-fault"])
def test_a_fault_has_no_score_anywhere(case: str, cases: Cases) -> None:
    """Each consumer gets what it takes for "not graded", never a zero."""
    data = {name: json.loads(rendered(name, cases[case])) for name in SCHEMAS}
    assert not {"score", "tests"} & data["gradescope"].keys()
    assert (data["classroom50"]["max-score"], data["classroom50"]["tests"]) == (0, [])
    assert data["exercism"]["status"] == "error"
    assert data["exercism"]["message"]
    assert data["prairielearn"]["gradable"] is False
    assert "score" not in data["prairielearn"]
    assert data["ctrf"]["results"]["summary"]["other"] == 1
    assert data["ctrf"]["results"]["summary"]["extra"] == {}
    assert JUnitXml.fromstring(rendered("junit", cases[case]).encode()).errors == 1
    rows = list(csv.DictReader(io.StringIO(rendered("csv", cases[case]), newline="")))
    assert [rows[-1][key] for key in ("outcome", "score", "max_score")] == ["grader fault", "", ""]
    assert any(each.kind == "error" for each in annotations(rendered("github", cases[case])))
    for name in ("text", "plain", "markdown", "html", "json", "jsonl"):
        assert "grader fault" in rendered(name, cases[case]).lower()


def test_a_problem_with_loading_is_no_green_run(cases: Cases) -> None:
    """Tests that were not run count as skipped, so what kept them from it is a test case, too."""
    junit = JUnitXml.fromstring(rendered("junit", cases["load"]).encode())
    (suite,) = junit
    assert (junit.errors, suite.skipped, junit.tests) == (1, 2, 3)
    summary = json.loads(rendered("ctrf", cases["load"]))["results"]["summary"]
    assert (summary["failed"], summary["skipped"]) == (1, 2)
    assert json.loads(rendered("exercism", cases["load"]))["status"] == "error"
    assert json.loads(rendered("prairielearn", cases["load"]))["score"] == 0
    (first, *_) = annotations(rendered("github", cases["load"]))
    assert (first.kind, first.properties["line"]) == ("error", "1")


# JUnit

# What pytest writes as xunit2, and with it the XML Schema that Jenkins publishes of it, allows; but
# that pytest gives a test case properties, too, which is where it records what it has no place for.
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"classname", "name", "time"},
    "properties": set(),
    "property": {"name", "value"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase", "system-out"},
    "testcase": {"properties", "skipped", "error", "failure", "system-out"},
    "properties": {"property"},
}


def test_junit_has_the_shape_of_xunit2(cases: Cases) -> None:
    """No element or attribute that a strict reader would refuse; times in seconds."""
    for wanted in cases.values():
        root = ET.fromstring(rendered("junit", wanted))  # noqa: S314  our own
        for element in root.iter():
            assert set(element.attrib) <= ATTRIBUTES[element.tag]
            assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
            assert re.fullmatch(r"\d+\.\d{3}", element.get("time", "0.000"))


def test_junit_says_to_its_reader_what_became_of_each_test(cases: Cases) -> None:
    """The counts are true, a test has one result at most, and points are properties."""
    kinds = {Outcome.FAILED: Failure, Outcome.NOT_RUN: Skipped, Outcome.PASSED: None}
    wanted = cases["batch"]
    assert isinstance(wanted, Batch)
    junit = JUnitXml.fromstring(rendered("junit", wanted).encode())
    for suite, report in zip(junit, wanted, strict=True):
        before = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()  # type: ignore[no-untyped-call]  # of a library without types
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == before
        if report.verdict is None:
            continue
        by_name = {case.name: case for case in suite}
        for test in report.verdict.tests:
            case = by_name[test.id]
            kind = kinds.get(test.outcome, Error)
            assert [type(result) for result in case.result] == ([] if kind is None else [kind])
            found = case.child(Properties)  # type: ignore[no-untyped-call]  # the same
            points = {each.name: each.value for each in found}
            assert points["points"] == str(test.points)
            assert points["max_points"] == str(test.max_points)


# Tables

AWKWARD = [
    "Moss, Bob",
    'Ada "Countess"',
    "=1+1",
    "semi;colon",
    "\u00e9lan \u2713",
    "a\tb",
    " ",
    "-3",
]


def test_a_table_is_read_back_with_every_name(cases: Cases) -> None:
    """Quotes, commas and signs: one row for each, the same columns, the same name.

    But for what a spreadsheet would calculate: an apostrophe marks that as text.
    """
    report = cases["pass"]
    assert isinstance(report, Report)
    batch = Batch(tuple(_named(report, name) for name in AWKWARD))
    rows = list(csv.DictReader(io.StringIO(rendered("csv", batch), newline=""), strict=True))
    for row, name in zip(rows, AWKWARD, strict=True):
        expected = " ".join(name.split())
        assert row["student"] == (f"'{expected}" if expected[:1] in {"=", "-"} else expected)
        assert None not in row
        assert None not in row.values()


def _named(report: Report, student: str) -> Report:
    return Report(report.exercise, f"{student}.py", report.outcome, report.verdict, "", student)


# GitHub


class Annotation:
    """A workflow command, read by the rules of the runner's documentation."""

    def __init__(self, line: str) -> None:
        found = re.fullmatch(r"::(?P<kind>\w+)(?: (?P<properties>.*?))?::(?P<message>.*)", line)
        assert found, line
        self.kind = found["kind"]
        self.message = _unescaped(found["message"])
        pairs = (each.partition("=") for each in (found["properties"] or "").split(",") if each)
        self.properties = {name: _unescaped(_unescaped_too(value)) for name, _, value in pairs}


def _unescaped(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def _unescaped_too(text: str) -> str:
    return text.replace("%3A", ":").replace("%2C", ",")


def annotations(text: str) -> list[Annotation]:
    return [Annotation(line) for line in text.splitlines()]


PLACES = {"file", "line", "endLine", "col", "endColumn", "title"}


def test_github_reads_each_annotation_as_it_was_meant(cases: Cases) -> None:
    """Every line is a command, of a kind and with properties that the runner knows."""
    for wanted in cases.values():
        for each in annotations(rendered("github", wanted)):
            assert each.kind in {"error", "warning", "notice"}
            assert each.properties.keys() <= PLACES
            assert each.message


@pytest.mark.parametrize("odd", ["50%", "a:b,c=d", "x\r\n::error::y", "::", "%0A", ",title=z"])
def test_github_s_escapes_bring_any_text_back(odd: str) -> None:
    """As the message and as a property, whatever stands in it."""
    line = command("error", odd, title=odd, file=None, line=3)
    assert "\n" not in line
    assert "\r" not in line
    (read,) = annotations(line)
    assert (read.message, read.properties) == (odd, {"title": odd, "line": "3"})


def test_no_name_of_a_file_steers_a_terminal_by_github_s_log() -> None:
    """A student chooses it; control characters and their like are replaced."""
    (read,) = annotations(command("error", "wrong", file="\x1b]0;t\x07/\u202ex.py"))
    assert read.properties == {"file": "\ufffd]0;t\ufffd/\ufffdx.py"}


def test_github_gets_ten_annotations_at_most() -> None:
    """The last one says how many there would have been."""
    tests = tuple(failed(f"t{n}", "wrong") for n in range(25))
    errors = [
        each.message
        for each in annotations(rendered("github", report_of(tests)))
        if each.kind == "error"
    ]
    assert len(errors) == 10
    assert errors[-1] == "16 more did not pass; the job summary has them all."


def test_a_job_summary_is_no_longer_than_a_mebibyte() -> None:
    """What is left out is said."""
    summary = job_summary(Batch((report_of(tuple(_large("\u00e9"))),)))
    assert len(summary.encode()) <= 1 << 20
    assert "1 MiB" in summary[-100:]


# Limits of length


def test_exercism_s_limits_hold() -> None:
    """A long message, a long output, and many of both; the tests stay in their order."""
    text = rendered("exercism", report_of(tuple(_large("m"))))
    data = json.loads(text)
    assert len(text.encode()) < 500_000
    assert wrong_in(data, SCHEMAS["exercism"]) == []
    assert [test["name"] for test in data["tests"]] == [f"t{n}" for n in range(12)]
    assert data["tests"][0]["output"].endswith("Please limit to 500 chars]")


def test_prairielearn_s_limit_holds() -> None:
    """The file stays under a megabyte."""
    text = rendered("prairielearn", report_of(tuple(_large("m"))))
    assert len(text.encode()) < 1_000_000
    assert wrong_in(json.loads(text), SCHEMAS["prairielearn"]) == []


def _large(letter: str) -> Iterator[TestResult]:
    return (failed(f"t{n}", letter * 70_000, "o" * 60_000) for n in range(12))
