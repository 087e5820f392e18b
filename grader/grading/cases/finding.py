"""What one draw of a test came to."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.errors import EtudeError
from grader.frozen import frozen
from grader.grading import feedback
from grader.grading.authored import TooLargeError, evaluate
from grader.grading.compare import Difference, Rung
from grader.grading.properties import DiffersError
from grader.grading.proxies import InputChangedError, NoValueError
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.limits import ANSWERS_CAP


@frozen
class Finding:
    """How a submission's value differs, if it does, and the value."""

    difference: Difference | None
    got: Any = None


def bytes_in(value: object) -> int:
    """Return what the arrays in a value come to: comparing makes several more of their size."""
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_in, value))
    if isinstance(value, dict):
        return sum(map(bytes_in, value.values()))
    return value.nbytes if isinstance(value, np.ndarray) else 0


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
        sentence = feedback.input_changed(error.name, code)
        raise DiffersError(Difference(Rung.INPUTS, sentence)) from error
    except Exception as error:  # indexing a result of another form raises anything
        sentence = feedback.cannot_use(code, error)
        raise DiffersError(Difference(Rung.TYPE, sentence)) from error
    if bytes_in(value) > ANSWERS_CAP:
        raise TooLargeError
    return value
