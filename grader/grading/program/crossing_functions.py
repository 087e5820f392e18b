"""Functions and iterators of a test in the form in which they cross into the sandbox."""

import contextlib
import inspect
import operator
import sys
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from grader.sandbox.in_child.wire import Callback, Function


def encode_function(number: int, value: Any) -> Function | Callback | None:
    """Return a function as source code if it is self-contained, otherwise as a callback."""
    if value is Ellipsis:
        return Function(number, "given", "given = ...")
    if isinstance(value, Iterator):
        return Callback(number, iterates=True)
    if not callable(value):
        return None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    module = module or getattr(value, "__objclass__", type(None)).__module__
    if type(value) is np.ufunc:
        module, name = "numpy", value.__name__
    if module and module.partition(".")[0] in ("builtins", "numpy", "math", "operator"):
        with contextlib.suppress(AttributeError):
            if operator.attrgetter(name)(sys.modules[module]) is value:
                return Function(number, "given", f"import {module}\ngiven = {module}.{name}")
    if isinstance(value, FunctionType) and _stands_alone(value):
        with contextlib.suppress(OSError, TypeError):
            source = textwrap.dedent(inspect.getsource(value))
            # Assertions must be checked in this process, so such a function becomes a callback.
            if source.startswith("def ") and "assert" not in source:
                return Function(number, value.__name__, source)
    return Callback(number)


def _stands_alone(function: FunctionType) -> bool:
    """Return whether a function uses only its own names, built-ins and `np`."""
    codes, used = [function.__code__], set[str]()
    for code in codes:
        used.update(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    names = {name for name in used if name in function.__globals__} - {"np", function.__name__}
    defaults = function.__defaults__ or function.__kwdefaults__
    return not (function.__closure__ or names or defaults)
