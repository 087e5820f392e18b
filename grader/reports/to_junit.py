"""JUnit XML in pytest's form (xunit2), with points as properties.

A submission is a test suite. If a problem keeps all tests from running, it becomes a test case
`load`, because a dashboard would otherwise count only skipped tests. A grader fault is an error of
one test case.
"""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from grader.grading.results.verdict import Outcome, TestResult
from grader.reports.document import help_lines
from grader.reports.phrases import (
    printed_output,
    strip_controls,
    submission_name,
    test_label,
    to_one_line,
)
from grader.reports.report import Batch, Report

# Characters that XML 1.0 cannot represent.
_NOT_XML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_MESSAGE_LENGTH = (
    300  # length of the message attribute, in characters; the element's text is complete
)


def render_batch(batch: Batch) -> str:
    """Return a document with a test suite for each submission."""
    root = ET.Element("testsuites", name="etude")
    for report in batch:
        root.append(_suite(report))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    root.set("time", f"{batch.seconds:.3f}")
    ET.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(root, encoding='unicode')}\n"


def _suite(report: Report) -> ET.Element:
    name = submission_name(report)
    suite = ET.Element("testsuite", name=_xml(name))
    grade = report.grade
    grade_properties: dict[str, str | int] = {}
    if grade is not None:
        points = "" if grade.points is None else f"{grade.points:.10g}"
        grade_properties = {
            "grade": points,
            "max_grade": grade.max_points,
            "note": to_one_line(grade.note),
        }
    if report.verdict is None:
        if grade_properties:
            _properties(suite, grade_properties)
        case = _case(suite, name, to_one_line(report.outcome))
        kind = "error" if report.is_fault else "failure"
        _problem(case, kind, report.outcome, report.message)
    else:
        verdict = report.verdict
        _properties(
            suite,
            {
                "outcome": verdict.outcome.value,
                "score": verdict.score,
                "max_score": verdict.max_score,
                "sandbox": verdict.sandbox,
                "exercise_hash": verdict.exercise_hash,
                "submission_hash": verdict.submission_hash,
                "grader_version": verdict.grader_version,
                "diagnosis": "" if verdict.diagnosis is None else verdict.diagnosis.id,
                **grade_properties,
            },
        )
        if verdict.message:
            case = _case(suite, name, "load")
            _problem(case, "error", verdict.outcome.value, verdict.message)
        for test in verdict.tests:
            _add_test(suite, name, test)
        explanation = "\n".join(help_lines(verdict))
        _text(
            suite,
            "system-out",
            "\n\n".join(filter(None, (explanation, strip_controls(verdict.output)))),
        )
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(sum(case.find(tag) is not None for case in cases)))
    # The sum over its own tests, because all reports of a batch have the times of the whole run.
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
    suite.set("timestamp", datetime.fromtimestamp(report.began, UTC).isoformat(timespec="seconds"))
    return suite


def _add_test(suite: ET.Element, name: str, test: TestResult) -> None:
    case = _case(suite, name, test.id)
    label = {} if test.hidden or not test.description else {"description": test_label(test)}
    hidden = {"hidden": "true"} if test.hidden else {}
    case.set("time", f"{test.seconds or 0:.3f}")
    _properties(case, {"points": test.points, "max_points": test.max_points, **label, **hidden})
    match test.outcome:
        case Outcome.PASSED:
            pass
        case Outcome.NOT_RUN:
            ET.SubElement(case, "skipped", message=_xml(to_one_line(test.message)))
        case Outcome.FAILED:
            _problem(case, "failure", test.outcome.value, test.message)
        case _:
            _problem(case, "error", test.outcome.value, test.message)
    _text(case, "system-out", printed_output(test))


def _case(suite: ET.Element, classname: str, name: str) -> ET.Element:
    return ET.SubElement(
        suite, "testcase", classname=_xml(classname), name=_xml(name), time="0.000"
    )


def _properties(parent: ET.Element, values: dict[str, str | int]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=_xml(str(value)))


def _problem(case: ET.Element, tag: str, kind: str, message: str) -> None:
    short = to_one_line(message)[:_MAX_MESSAGE_LENGTH]
    element = ET.SubElement(case, tag, type=_xml(kind), message=_xml(short))
    element.text = _xml(strip_controls(message))


def _text(parent: ET.Element, tag: str, text: str) -> None:
    if text:
        ET.SubElement(parent, tag).text = _xml(text)


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
