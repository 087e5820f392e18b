"""Etude: autograded NumPy exercises.

from grader import grade, load_exercise

verdict = grade(load_exercise("attention-weights"), "attention-weights.py")
print(verdict.outcome, verdict.score, verdict.max_score)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.api import Grader, break_program, grade, load_exercise, render
    from grader.definitions.exercise import Exercise
    from grader.errors import DefinitionError, EtudeError, GraderFault, SandboxFault, UsageError
    from grader.grading.results.verdict import Diagnosis, Outcome, TestResult, Verdict

__version__ = "0.1.0"

__all__ = [
    "DefinitionError",
    "Diagnosis",
    "EtudeError",
    "Exercise",
    "Grader",
    "GraderFault",
    "Outcome",
    "SandboxFault",
    "TestResult",
    "UsageError",
    "Verdict",
    "break_program",
    "grade",
    "load_exercise",
    "render",
]

_MODULES = {
    "grader.api": ("Grader", "break_program", "grade", "load_exercise", "render"),
    "grader.definitions.exercise": ("Exercise",),
    "grader.errors": (
        "DefinitionError", "EtudeError", "GraderFault", "SandboxFault", "UsageError",
    ),
    "grader.grading.results.verdict": ("Diagnosis", "Outcome", "TestResult", "Verdict"),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a name of the API on first use, because every command imports this package."""
    for module, names in _MODULES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'grader' has no attribute {name!r}")
