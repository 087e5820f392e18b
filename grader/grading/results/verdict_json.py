"""The versioned JSON of verdicts, which `--format json` prints and workers send."""

from dataclasses import asdict
from typing import Any, get_args

from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.results.verdict import (
    Diagnosis,
    DiagnosisKind,
    LineShape,
    Outcome,
    SmallExample,
    TestResult,
    ValueSummary,
    Verdict,
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
        "inputs": [{"name": name, "value": value.data()} for name, value in test.inputs],
        "expected": None if test.expected is None else test.expected.data(),
        "got": None if test.got is None else test.got.data(),
        "worst": None if test.worst is None else list(test.worst),
        "seconds": test.seconds,
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
            (each["name"], ValueSummary.from_data(each["value"])) for each in data.get("inputs", ())
        ),
        expected=_summary(data.get("expected")),
        got=_summary(data.get("got")),
        worst=None if data.get("worst") is None else tuple(data["worst"]),
        seconds=data.get("seconds"),
    )


def _summary(data: dict[str, Any] | None) -> ValueSummary | None:
    return None if data is None else ValueSummary.from_data(data)
