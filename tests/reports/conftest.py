"""Verdicts by hand, one for each thing that a report has to show, and a JSON Schema checker."""

# ruff: noqa: ANN401  JSON is of any type

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest

from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.verdict import Diagnosis, Outcome, TestResult, Verdict
from grader.reports.report import Batch, Report

BEGAN, ENDED = 1_750_000_000.0, 1_750_000_001.25

Validate: TypeAlias = Callable[[object, Mapping[str, Any]], list[str]]

# What a learner might word to break out of a format.
NASTY = "<b>&amp;</b> ::error::x %0A \"q\" 'a' `c` | [l](http://x) @you *e* $m$ ]]> \\ \u00e9\u2713"


def result(name: str, outcome: Outcome, points: int = 0, **more: Any) -> TestResult:
    about = {"description": f"the test {name}", "hidden": False, "max_points": 1, **more}
    return TestResult(id=TestId(name), outcome=outcome, points=points, **about)


def verdict(outcome: Outcome, tests: tuple[TestResult, ...], **more: Any) -> Verdict:
    about = {
        "exercise": ExerciseId("scaled-scores"),
        "title": "Scale the scores & <keep> the shape",
        "message": "",
        "line": None,
        "output": "",
        "hidden_elsewhere": 0,
        "xp": 0,
        "sandbox": "namespaces",
        "exercise_hash": "e" * 64,
        "submission_hash": "5" * 64,
        "grader_version": "0.1.0",
        **more,
    }
    return Verdict(outcome=outcome, tests=tests, **about)


def _pass() -> Verdict:
    tests = (
        result("worked", Outcome.PASSED, 1, output="(3, 2)\n"),
        result("secret", Outcome.PASSED, 3, hidden=True, description="", max_points=3),
    )
    return verdict(Outcome.PASSED, tests, xp=15)


def _fail() -> Verdict:
    tests = (
        result("worked", Outcome.FAILED, message=f"6 of 9 values differ. Got {NASTY}", line=3),
        result("printed", Outcome.ERRORED, message=f"ValueError: {NASTY}", line=4, output=f"=1+1\n{NASTY}\n```\n"),
        result("slow", Outcome.TIMED_OUT, message="Your code took more than 2 seconds."),
        result("after", Outcome.NOT_RUN, message="Not run: an earlier test ended your code."),
        result("fine", Outcome.PASSED, 1),
        result("secret", Outcome.FAILED, 1, hidden=True, description="", max_points=4, message="The result has the right form but wrong values in this hidden test."),
    )  # fmt: skip
    feedback = "These are the scores without\nthe division by $\\sqrt{d_k}$."
    known = Diagnosis("misconception", "unscaled", feedback, 2, (TestId("worked"),))
    return verdict(Outcome.FAILED, tests, diagnosis=known, output=f"loading {NASTY}\n")


def _load() -> Verdict:
    message = f"Python cannot read line 1: `def f(:{NASTY}` (SyntaxError: invalid syntax)."
    tests = tuple(result(name, Outcome.NOT_RUN, message=message) for name in ("worked", "after"))
    return verdict(Outcome.ERRORED, tests, message=message, line=1)


def _of(one: Verdict, student: str | None = None) -> Report:
    file = "ada.py" if student is None else f"in/{student}/scaled-scores.py"
    outcome = one.outcome.value
    return Report(one.exercise, file, outcome, one, "", student, BEGAN, ENDED)


def _fault(student: str | None = None) -> Report:
    file = "ada.py" if student is None else f"in/{student}/scaled-scores.py"
    reason = "no sandbox on this host: bwrap is missing, FAULT-REASON"
    return Report("scaled-scores", file, "grader fault", None, reason, student, BEGAN, ENDED)


def _batch() -> Batch:
    lost = "there is no exercise 'scald'; did you mean 'scaled-scores'?"
    not_graded = Report("scald", "in/ed/scald.py", "not graded", None, lost, "ed", BEGAN, ENDED)
    reports = (
        _of(_pass(), "ada"),
        _of(_fail(), "=bob|<i>"),
        _of(_load(), "cy"),
        _fault("dee"),
        not_graded,
    )
    return Batch(reports, 2, ("in/notes.txt",))


@pytest.fixture
def cases() -> dict[str, Report | Batch]:
    """What is rendered in each format, by name."""
    return {
        "pass": _of(_pass()),
        "fail": _of(_fail()),
        "load": _of(_load()),
        "fault": _fault(),
        "batch": _batch(),
        "homework": Batch(tuple(_of(one, "ada") for one in (_pass(), _fail(), _load()))),
        "homework-fault": Batch((_of(_pass(), "ada"), _fault("ada"))),
        "nothing": Batch(()),
    }


@pytest.fixture
def validate() -> Validate:
    """Check a value with a JSON Schema; returns what is wrong.

    It knows what the schemas here use, and refuses to pass over any other keyword.
    """
    return lambda value, schema: list(_errors(value, schema, schema, "$"))


_TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}  # fmt: skip
_SILENT = {"$schema", "$id", "$defs", "definitions", "title", "description", "format", "examples", "default"}  # fmt: skip


def _errors(value: Any, schema: Any, root: Mapping[str, Any], at: str) -> list[str]:
    if isinstance(schema, bool):
        return [] if schema else [f"{at}: must not be there"]
    wrong: list[str] = []
    for keyword, wanted in schema.items():
        if keyword not in _SILENT:
            wrong += _CHECKS[keyword](value, wanted, schema, root, at)
    return wrong


def _type(value: Any, wanted: Any, _schema: Any, _root: Any, at: str) -> list[str]:
    names = [wanted] if isinstance(wanted, str) else wanted
    fits = any(
        isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))  # type: ignore[arg-type]  # types, by name
        for name in names
    )
    return [] if fits else [f"{at}: {value!r:.50} is no {wanted}"]


def _ref(value: Any, wanted: str, _schema: Any, root: Any, at: str) -> list[str]:
    found = root
    for part in wanted.removeprefix("#/").split("/"):
        found = found[part]
    return _errors(value, found, root, at)


def _properties(value: Any, wanted: Any, _schema: Any, root: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    return [
        each
        for key, inner in wanted.items()
        if key in value
        for each in _errors(value[key], inner, root, f"{at}.{key}")
    ]


def _additional(value: Any, wanted: Any, schema: Any, root: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    extra = [key for key in value if key not in schema.get("properties", {})]
    return [each for key in extra for each in _errors(value[key], wanted, root, f"{at}.{key}")]


def _some_of(value: Any, wanted: Any, _schema: Any, root: Any, at: str) -> list[str]:
    every = [_errors(value, each, root, at) for each in wanted]
    return [] if any(not each for each in every) else [f"{at}: fits none of {every}"]


def _one_of(value: Any, wanted: Any, _schema: Any, root: Any, at: str) -> list[str]:
    every = [_errors(value, each, root, at) for each in wanted]
    fits = sum(not each for each in every)
    return [] if fits == 1 else [f"{at}: fits {fits} of {every}"]


def _items(value: Any, wanted: Any, _schema: Any, root: Any, at: str) -> list[str]:
    items = enumerate(value) if isinstance(value, list) else ()
    return [each for i, item in items for each in _errors(item, wanted, root, f"{at}[{i}]")]


def _simple(test: Callable[[Any, Any], bool]) -> Callable[..., list[str]]:
    def check(value: Any, wanted: Any, _schema: Any, _root: Any, at: str) -> list[str]:
        return [] if test(value, wanted) else [f"{at}: {value!r:.80} against {wanted!r:.80}"]

    return check


_CHECKS: dict[str, Callable[..., list[str]]] = {
    "type": _type,
    "$ref": _ref,
    "properties": _properties,
    "additionalProperties": _additional,
    "anyOf": _some_of,
    "oneOf": _one_of,
    "items": _items,
    "const": _simple(lambda value, wanted: value == wanted),
    "enum": _simple(lambda value, wanted: value in wanted),
    "required": _simple(lambda value, wanted: not isinstance(value, dict) or set(wanted) <= set(value)),
    "pattern": _simple(lambda value, wanted: not isinstance(value, str) or bool(re.search(wanted, value))),
    "minimum": _simple(lambda value, wanted: not isinstance(value, (int, float)) or value >= wanted),
    "maximum": _simple(lambda value, wanted: not isinstance(value, (int, float)) or value <= wanted),
    "minLength": _simple(lambda value, wanted: not isinstance(value, str) or len(value) >= wanted),
    "maxLength": _simple(lambda value, wanted: not isinstance(value, str) or len(value) <= wanted),
    "minItems": _simple(lambda value, wanted: not isinstance(value, list) or len(value) >= wanted),
}  # fmt: skip
