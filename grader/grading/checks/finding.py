"""What one draw of a test came to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.errors import EtudeError
from grader.grading.checks.named_properties import DiffersError
from grader.grading.comparison.ladder import Difference, Rung
from grader.grading.comparison.memory_size import bytes_in
from grader.grading.feedback import sentences
from grader.grading.program.author_code import TooLargeError, evaluate
from grader.grading.program.proxies import InputChangedError, NoValueError
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.limits import ANSWERS_CAP


@dataclass(frozen=True, slots=True)
class Finding:
    """How a submission's value differs, if it does, and the value."""

    difference: Difference | None
    got: Any = None


def evaluated(code: str, names: Mapping[str, Any]) -> Any:  # noqa: ANN401  any value
    """Evaluate an expression over a submission's stand-ins.

    Raises:
        NoValueError, ChildGoneError: the submission gave no value.
        DiffersError: it changed an argument, or gave something that the expression cannot use.
        TooLargeError: what the expression makes of what it gave is too large.
    """
    try:
        value = evaluate(code, names)
    except (NoValueError, ChildGoneError, EtudeError):
        raise
    except MemoryError as error:
        raise TooLargeError from error
    except InputChangedError as error:
        sentence = sentences.input_changed(error.name, code)
        raise DiffersError(Difference(Rung.INPUTS, sentence)) from error
    except Exception as error:  # indexing a result of another form raises anything
        sentence = sentences.cannot_use(code, error)
        raise DiffersError(Difference(Rung.TYPE, sentence)) from error
    if bytes_in(value) > ANSWERS_CAP:  # comparing makes several more of that size
        raise TooLargeError
    return value
