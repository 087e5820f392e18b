"""The versioned JSON of verdicts, for `--format json`; workers also send its private parts."""

import math
from dataclasses import asdict, replace
from typing import Any, get_args

from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.results.verdict import (
    Diagnosis,
    DiagnosisKind,
    Evidence,
    LineShape,
    Number,
    Outcome,
    ResourceUsage,
    SmallExample,
    TestResult,
    ValueSummary,
    Verdict,
    WrongExpectedValue,
)

SCHEMA = "etude/verdict/v1"
FAULT = "grader fault"
NOT_GRADED = "not graded"


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as an object of JSON types."""
    diagnosis = verdict.diagnosis
    return {
        "schema": SCHEMA,
        "exercise": verdict.exercise,
        "title": verdict.title,
        "outcome": verdict.outcome.value,
        "score": verdict.score,
        "max_score": verdict.max_score,
        "xp": verdict.xp,
        "hidden_elsewhere": verdict.hidden_elsewhere,
        "message": verdict.message,
        "line": verdict.line,
        "output": verdict.output,
        "diagnosis": None
        if diagnosis is None
        else {
            "kind": diagnosis.kind,
            "ids": list(diagnosis.ids),
            "feedback": diagnosis.feedback,
            "hint": diagnosis.hint,
            "tests": list(diagnosis.tests),
        },
        "example": None
        if verdict.example is None
        else {"code": verdict.example.code, "result": result_data(verdict.example.result)},
        **({"notes": list(verdict.notes)} if verdict.notes else {}),
        **({"shapes": [asdict(shape) for shape in verdict.shapes]} if verdict.shapes else {}),
        "tests": [result_data(test) for test in verdict.tests],
        "sandbox": verdict.sandbox,
        "exercise_hash": verdict.exercise_hash,
        "submission_hash": verdict.submission_hash,
        "grader_version": verdict.grader_version,
    }


def result_data(test: TestResult) -> dict[str, Any]:
    """Return the result of a test as an object of JSON types."""
    return {
        "id": test.id,
        "description": test.description,
        "hidden": test.hidden,
        "outcome": test.outcome.value,
        "points": test.points,
        "max_points": test.max_points,
        "message": test.message,
        "line": test.line,
        "output": test.output,
        "inputs": [{"name": name, "value": _summary_data(value)} for name, value in test.inputs],
        "expected": test.expected and _summary_data(test.expected),
        "got": test.got and _summary_data(test.got),
        "worst": None if test.worst is None else list(test.worst),
        "seconds": test.seconds,
    }


def _summary_data(value: ValueSummary) -> dict[str, Any]:
    # JSON lacks NaN and infinity, so these become strings.
    rows = [[x if math.isfinite(x) else str(x) for x in row] for row in value.rows or ()]
    return {
        "summary": value.summary,
        "text": value.text,
        "rows": None if value.rows is None else rows,
        "vector": value.is_vector,
    }


def fault_data(exercise: str, message: str) -> dict[str, Any]:
    """Return a grader fault as an object of JSON types, without a score."""
    return {"schema": SCHEMA, "exercise": exercise, "outcome": FAULT, "message": message}


def verdict_from_data(data: dict[str, Any]) -> Verdict:
    """Return the verdict that an object of JSON types describes.

    Raises:
        KeyError, TypeError, ValueError: The object is malformed.
    """
    diagnosis_data = data.get("diagnosis")  # missing in records of older versions
    if diagnosis_data is not None and diagnosis_data["kind"] not in get_args(DiagnosisKind):
        raise ValueError(f"no kind of diagnosis: {diagnosis_data['kind']!r}")
    diagnosis = diagnosis_data and Diagnosis(
        kind=diagnosis_data["kind"],
        id=Diagnosis.JOIN.join(diagnosis_data["ids"]),
        feedback=diagnosis_data["feedback"],
        hint=diagnosis_data["hint"],
        tests=tuple(TestId(test) for test in diagnosis_data["tests"]),
    )
    return Verdict(
        exercise=ExerciseId(data["exercise"]),
        title=data["title"],
        outcome=Outcome(data["outcome"]),
        message=data["message"],
        line=data["line"],
        output=data["output"],
        xp=data["xp"],
        hidden_elsewhere=data["hidden_elsewhere"],
        diagnosis=diagnosis,
        example=None
        if data.get("example") is None
        else SmallExample(data["example"]["code"], result_from_data(data["example"]["result"])),
        notes=tuple(str(note) for note in data.get("notes", ())),
        shapes=tuple(
            LineShape(**{**shape, "lengths": tuple(shape["lengths"])})
            for shape in data.get("shapes", ())
        ),
        tests=tuple(result_from_data(test) for test in data["tests"]),
        sandbox=data["sandbox"],
        exercise_hash=data["exercise_hash"],
        submission_hash=data["submission_hash"],
        grader_version=data["grader_version"],
    )


def result_from_data(data: dict[str, Any]) -> TestResult:
    """Return the result of a test that an object of JSON types describes.

    Raises:
        KeyError, TypeError, ValueError: The object is malformed.
    """
    return TestResult(
        id=TestId(data["id"]),
        description=data["description"],
        hidden=data["hidden"],
        outcome=Outcome(data["outcome"]),
        points=data["points"],
        max_points=data["max_points"],
        message=data["message"],
        line=data["line"],
        output=data["output"],
        # The next four fields are missing in records of older versions.
        inputs=tuple(
            (each["name"], _summary_from_data(each["value"])) for each in data.get("inputs", ())
        ),
        expected=None if data.get("expected") is None else _summary_from_data(data["expected"]),
        got=None if data.get("got") is None else _summary_from_data(data["got"]),
        worst=None if data.get("worst") is None else tuple(data["worst"]),
        seconds=data.get("seconds"),
    )


def _summary_from_data(data: dict[str, Any]) -> ValueSummary:
    rows = data["rows"]
    return ValueSummary(
        summary=data["summary"],
        text=data["text"],
        rows=None if rows is None else tuple(tuple(map(_number, row)) for row in rows),
        is_vector=data["vector"],
    )


def _number(sent: object) -> Number:
    if isinstance(sent, str):
        return float(sent)
    if isinstance(sent, (bool, int, float)):
        return sent
    raise TypeError(f"no number: {sent!r}")


def full_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as an object of JSON types, with the parts that are in no report."""
    return {
        **verdict_data(verdict),
        "evidence": verdict.evidence and asdict(verdict.evidence),
        "feedback_errors": list(verdict.feedback_errors),
        "unanswered": verdict.is_unanswered,
    }


def verdict_from_full_data(data: dict[str, Any]) -> Verdict:
    """Return the verdict that `full_data` describes.

    Raises:
        KeyError, TypeError, ValueError: The object is malformed.
    """
    return replace(
        verdict_from_data(data),
        evidence=_evidence_from_data(data["evidence"]),
        feedback_errors=tuple(map(str, data["feedback_errors"])),
        is_unanswered=bool(data["unanswered"]),
    )


def _evidence_from_data(data: dict[str, Any] | None) -> Evidence | None:
    if data is None:
        return None
    usage = data["usage"]
    wrong = ((TestId(each["test"]), str(each["message"])) for each in data["wrong_expected_values"])
    lists_of_tests = (
        "varied", "changed_outcomes", "changed_wrong_outcomes", "changed_inputs",
        "changed_expected_values",
    )  # fmt: skip
    return Evidence(
        ResourceUsage(
            float(usage["cpu_seconds"]),
            float(usage["wall_seconds"]),
            int(usage["peak_kib"]),
            int(usage["output_bytes"]),
        ),
        tuple(WrongExpectedValue(*each) for each in wrong),
        **{name: tuple(TestId(str(test)) for test in data[name]) for name in lists_of_tests},
        errors={
            TestId(str(test)): (str(kind), str(text))
            for test, (kind, text) in data["errors"].items()
        },
        input_summary=dict(data["input_summary"]),
    )
