"""The report of a submission whose CPU time is over: which loop goes round, and what changes in it."""

import linecache
import sys
import types
from typing import Any, NoReturn

import pytest

from grader.sandbox.in_child.cpu_limit import CpuLimitHandler, Report


class _StoppedError(Exception):
    """The report, in place of the end of the process."""


def _tell(report: Report) -> NoReturn:
    raise _StoppedError(report)


def report_on(body: str) -> dict[str, Any]:
    """Run the body of `f`, in which `over()` says that the CPU time is over."""
    source = f"def g(n):\n    return n\n\n\ndef f():\n    n = 3\n{body}\n"
    linecache.cache["looping.py"] = (len(source), None, source.splitlines(keepends=True), "")
    handler = CpuLimitHandler("looping.py", 0, _tell)
    namespace = {"over": lambda: handler(0, sys._getframe(1))}  # noqa: SLF001  the frame that a signal interrupts
    exec(compile(source, "looping.py", "exec"), namespace)  # noqa: S102  a test's own code
    assert isinstance(namespace["f"], types.FunctionType)
    try:
        with pytest.raises(_StoppedError) as caught:
            namespace["f"]()
    finally:
        sys.settrace(None)
        del linecache.cache["looping.py"]
    report: dict[str, Any] = caught.value.args[0]
    return report


@pytest.mark.parametrize(
    ("body", "line", "values"),
    [
        ("    i = 0\n    while i < n:\n        over()", 8, [["i", "0", False], ["n", "3", False]]),
        ("    while n:\n        over()\n        n = -n", 7, [["n", "-3", True]]),
        ("    while g(n) > 2: over()", 7, [["n", "3", False]]),
        ("    while True:\n        over()\n        n = g(n)", 7, []),
        ("    while True: over()", 7, []),
        ("    for i in [1, 2]:\n        while n:\n            over()", 8, [["n", "3", False]]),
        ("    while n:\n        for i in (1, 2):\n            over()", 7, [["n", "3", False]]),
        ("    over()\n    while g(\n        n\n    ):\n        n = n", 8, [["n", "3", False]]),
    ],
)  # fmt: skip
def test_the_outermost_loop_that_goes_round_is_named(
    body: str, line: int, values: list[object]
) -> None:
    """With the names in its condition: their last values, and whether these changed."""
    assert report_on(body) == {"line": line, "is_loop": True, "values": values}


def test_a_loop_over_many_items_says_how_far_it_came() -> None:
    """The value of the name that it counts with."""
    report = report_on("    for i in range(10**9):\n        over()")
    assert (report["line"], report["is_loop"]) == (7, True)
    ((name, value, has_changed),) = report["values"]
    assert (name, has_changed) == ("i", True)
    assert int(value) > 1000


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    over()\n    return [n for n in range(100)]", 7),
        ("    for i in (1, 2):\n        over()", 8),
        ("    over()\n    x = (n +\n        n)\n    return x", 7),
    ],
)
def test_where_no_loop_goes_round_only_the_line_is_known(body: str, line: int) -> None:
    """It is the line in which the signal came."""
    assert report_on(body) == {"line": line, "is_loop": False, "values": []}


def test_a_loop_inside_one_that_has_nothing_else_is_not_blamed() -> None:
    """Which of the two has no end cannot be seen."""
    report = report_on("    while True:\n        for i in range(3):\n            over()")
    assert (report["line"], report["is_loop"]) == (8, False)
