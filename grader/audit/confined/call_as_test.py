"""A call that distinguishes a program from the solution, as text and as the body of a test.

Values are written as Python expressions.
"""

import builtins
import inspect
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.audit.confined.behaviour import (
    ATOL,
    ITSELF,
    RTOL,
    Behaviour,
    BehaviourDifference,
    observe,
)
from grader.audit.confined.perturb import Step, Steps
from grader.definitions.wording import shorten
from grader.grading.diagnosis.input_values import NotWritableError, python_text

_RTOL_SINGLE = 1e-5
_MAX_ITEMS = 400  # elements or characters written into a test


def write_expression(value: Any) -> str:
    """Return a Python expression that evaluates to an equal value, with NumPy as `np`.

    Raises:
        NotWritableError: There is no such expression, or it is too long.
    """
    if isinstance(value, np.random.Generator):
        return "np.random.default_rng(0)"
    if isinstance(value, range | slice):
        return repr(value)
    if isinstance(value, set) and value:
        return f"{{{', '.join(sorted(map(write_expression, value)))}}}"
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({python_text(value.item())})"
    text = python_text(value)
    is_long = isinstance(value, str | int) and len(text) > _MAX_ITEMS
    if is_long or (isinstance(value, np.ndarray) and value.size > _MAX_ITEMS):
        raise NotWritableError(f"a long {type(value).__name__}")
    return text


def describe_value(value: Any) -> str:
    """Return an expression for a value, or a short description if there is none."""
    try:
        text = write_expression(value)
    except NotWritableError:
        shape = getattr(value, "shape", None)
        return f"<{type(value).__name__}{f' of shape {shape}' if shape is not None else ''}>"
    return shorten(text, _MAX_ITEMS, "…")


@dataclass(frozen=True, slots=True)
class Style:
    """The way in which the tests of an assignment compare results."""

    # True for `assert np.allclose(...)`, False for the assertions of `np.testing`.
    plain: bool = False
    prefix: str = ""  # prefix of the solution's names, such as "solution."


def format_script(name: str, steps: Steps) -> str:
    """Return the calls of a script as one line of text."""
    owner, calls = name.lower(), []
    for method, args, kwargs in steps:
        words = [
            *map(describe_value, args),
            *(f"{key}={describe_value(value)}" for key, value in kwargs.items()),
        ]
        target = {"": name, "__init__": f"{owner} = {name}"}.get(method, f"{owner}.{method}")
        calls.append(f"{target}({', '.join(words)})")
    return "; ".join(calls)


def format_outcome(behaviour: Behaviour, difference: BehaviourDifference) -> str:
    """Return the program's result at the step that differs, as text."""
    step = behaviour.steps[min(difference.step, len(behaviour.steps) - 1)]
    if step.error:
        return f"raises {step.error}"
    if difference.kind == "changes":
        return "changes its arguments" if step.changed else "leaves its arguments alone"
    if difference.kind == "attribute":
        return f"{difference.name} = {_rounded_text(behaviour.attributes.get(difference.name))}"
    return _rounded_text(step.value)


def _rounded_text(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size <= 64:  # noqa: PLR2004  it fits
        return f"array({np.array2string(value, separator=', ', precision=6)})".replace("\n", "")
    if isinstance(value, tuple | list):
        inner = ", ".join(map(_rounded_text, value))
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) and value == ITSELF else describe_value(value)


def write_test_body(
    right: types.ModuleType, name: str, steps: Steps, difference: BehaviourDifference, style: Style
) -> list[str]:
    """Return the unindented lines of a test that passes on the solution.

    Raises:
        NotWritableError: An argument or a result cannot be written as an expression.
    """
    behaviour = observe(right, name, steps)
    lines: list[str] = []
    owner = ""
    for number, step in enumerate(steps[: difference.step + 1]):
        more, arguments = _arguments(right, name, step, number if owner else None)
        words = [f"{key}={word}" if key else word for key, word, _ in arguments]
        target = f"{owner}.{step[0]}" if owner else f"{style.prefix}{name}"
        call = f"{target}({', '.join(words)})"
        outcome = behaviour.steps[number]
        lines += more
        if step[0] == "__init__" and not outcome.error:
            owner = name.lower()
            lines.append(f"{owner} = {call}")
        elif number < difference.step or difference.kind == "attribute":
            lines.append(call)
        elif difference.kind == "changes":
            same = "np.testing.assert_array_equal"
            lines.append(call)
            lines += [
                f"{same}({word}, {write_expression(value)})"
                for _, word, value in arguments
                if isinstance(value, np.ndarray)
            ]
        elif outcome.error:
            if not hasattr(builtins, outcome.error):
                raise NotWritableError(outcome.error)
            lines += [f"with pytest.raises({outcome.error}):", f"    {call}"]
        elif isinstance(outcome.value, str) and outcome.value == ITSELF:
            lines.append(f"assert {call} is {owner}")
        else:
            lines += [f"result = {call}", *_comparison_lines("result", outcome.value, style)]
    if difference.kind == "attribute":
        lines += _comparison_lines(
            f"{owner}.{difference.name}", behaviour.attributes[difference.name], style
        )
    return lines


def _arguments(
    module: types.ModuleType, name: str, step: Step, number: int | None
) -> tuple[list[str], list[tuple[str, str, Any]]]:
    """Return lines that assign array arguments to names, and the call's arguments.

    Each argument is its keyword or "", its text, and its value.
    """
    method, args, kwargs = step
    target = getattr(module, name)
    try:
        function = target if method in {"", "__init__"} else getattr(target, method)
        parameters = [*inspect.signature(function).parameters]
    except (TypeError, ValueError):
        parameters = []
    if method not in {"", "__init__"}:
        parameters = parameters[1:]
    parameters += [f"argument_{number}" for number in range(len(parameters), len(args))]
    lines: list[str] = []
    arrays: list[tuple[str, str, Any]] = []
    positional = [
        ("", parameter, value) for parameter, value in zip(parameters, args, strict=False)
    ]
    for key, parameter, value in (*positional, *((key, key, kwargs[key]) for key in kwargs)):
        text = write_expression(value)
        if isinstance(value, np.ndarray):
            variable = parameter if number is None else f"{parameter}_{number}"
            lines.append(f"{variable} = {text}")
            text = variable
        arrays.append((key, text, value))
    return lines, arrays


def _comparison_lines(what: str, value: Any, style: Style) -> Iterator[str]:
    match value:
        case np.ndarray() if value.dtype.kind in "fc":
            yield from _array_comparison_lines(what, value, style)
        case np.ndarray():
            yield f"np.testing.assert_array_equal({what}, {write_expression(value)})"
            yield f"assert {what}.dtype.kind == {value.dtype.kind!r}"
        case bool() | np.bool_():
            yield f"assert bool({what}) is {bool(value)}"
        case float() | complex() | np.inexact():
            yield f"assert np.shape({what}) == ()"
            yield _closeness_line(what, np.asarray(value), style)
        case tuple() | list():
            yield f"assert len({what}) == {len(value)}"
            for number, item in enumerate(value):
                yield from _comparison_lines(f"{what}[{number}]", item, style)
        case dict() if value:
            yield f"assert set({what}) == {write_expression(set(value))}"
            for key, item in value.items():
                yield from _comparison_lines(f"{what}[{write_expression(key)}]", item, style)
        case _:
            yield f"assert {what} {'is' if value is None else '=='} {write_expression(value)}"


def _array_comparison_lines(what: str, value: np.ndarray[Any, Any], style: Style) -> Iterator[str]:
    if not value.ndim or style.plain:
        yield f"assert np.shape({what}) == {value.shape}"
    yield _closeness_line(what, value, style)
    if value.dtype.name != "float64":
        yield f"assert {what}.dtype == np.{value.dtype.name}"


def _closeness_line(what: str, value: np.ndarray[Any, Any], style: Style) -> str:
    is_single = value.dtype.itemsize <= np.dtype("f4").itemsize
    limits = f"rtol={_RTOL_SINGLE if is_single else RTOL:g}, atol={ATOL:g}"
    # Nine digits are more than the tolerance needs.
    digits = np.vectorize(
        lambda number: (
            complex(f"{number:.9g}") if value.dtype.kind == "c" else float(f"{number:.9g}")
        ),
        otypes=[complex if value.dtype.kind == "c" else float],
    )
    rounded = digits(value) if value.size else value
    text = write_expression(rounded) if value.ndim else write_expression(rounded.item())
    if style.plain and bool(np.all(np.isfinite(value))):
        return f"assert np.allclose({what}, {text}, {limits})"
    return f"np.testing.assert_allclose({what}, {text}, {limits})"
