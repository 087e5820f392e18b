"""The shapes of the values that each line of a program makes in one call, noted while it runs."""

import ast
import contextlib
import copy
import io
import sys
import types
import warnings
from operator import itemgetter
from typing import Any

import numpy as np

_FILE = "submission.py"
_MAX_NOTES = 200  # noted pairs of a line and a name


def line_shapes(source: str, code: str, inputs: dict[str, Any]) -> list[Any]:
    """Run a program and a call in it; return the last value's shape for each line and name.

    Args:
        code: The call, or the lines of a test.

    Returns:
        Lists of the line's number, a name ("return" for a result), the type or dtype of the value,
        and the value's lengths: the shape of an array, or the length of a list or a tuple.
    """
    noted: dict[tuple[int, str], list[Any]] = {}
    targets = _find_targets(ast.parse(source))

    def trace(frame: types.FrameType, _event: str, _argument: Any) -> Any:
        if frame.f_code.co_filename != _FILE or frame.f_code.co_name.startswith("<"):
            return None
        line, names = 0, list[str]()  # line and targets of the statement that is running
        for name in frame.f_code.co_varnames[: frame.f_code.co_argcount]:
            noted[frame.f_lineno, name] = _describe_form(frame.f_locals[name])

        def in_frame(frame: types.FrameType, event: str, argument: Any) -> Any:
            nonlocal line, names
            if event == "exception":
                names = []  # the statement was not completed
            values = frame.f_locals | ({"return": argument} if event == "return" else {})
            for name in names:
                if name in values and (len(noted) < _MAX_NOTES or (line, name) in noted):
                    noted[line, name] = _describe_form(values[name])
            line, names = targets.get(frame.f_lineno, (0, [])) if event == "line" else (0, [])
            return in_frame

        return in_frame

    names: dict[str, Any] = {"__name__": "submission"}
    with (
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.suppress(Exception),  # the lines before an error are already noted
    ):
        warnings.simplefilter("ignore")
        exec(compile(source, _FILE, "exec"), names)  # noqa: S102  in a sandbox
        names |= {"np": np} | copy.deepcopy(inputs)
        sys.settrace(trace)
        try:
            exec(compile(code, "<call>", "exec"), names)  # noqa: S102  the author's lines
        finally:
            sys.settrace(None)
    return sorted(([*place, *form] for place, form in noted.items()), key=itemgetter(0))


def _find_targets(tree: ast.Module) -> dict[int, tuple[int, list[str]]]:
    """Return, for each line, the first line of its statement and the names that it sets."""
    targets: dict[int, tuple[int, list[str]]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Return(value=ast.expr()):
                names = ["return"]
            case ast.Assign(targets=assigned):
                names = [name for target in assigned for name in _list_names(target)]
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target, value=ast.expr()):
                names = _list_names(target)
            case _:
                continue
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            first, known = targets.get(line, (node.lineno, []))
            targets[line] = first, [*known, *names]
    return targets


def _list_names(target: ast.expr) -> list[str]:
    """Return the names that an assignment to a target changes, such as `a` for `a[0]`."""
    while isinstance(target, ast.Subscript | ast.Starred):
        target = target.value
    if isinstance(target, ast.Tuple | ast.List):
        return [name for item in target.elts for name in _list_names(item)]
    return [target.id] if isinstance(target, ast.Name) else []


def _describe_form(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray | np.generic):
        return [str(value.dtype), [int(n) for n in value.shape]]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [len(value)]]
    return [type(value).__name__, []]
