"""Ready-made tests in the style of an assignment's own tests."""

import ast
import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grader.audit.confined.call_as_test import Style
from grader.audit.confined.pytest_run import module_name
from grader.authoring.sources.assignment import Assignment

EXTRA_FILE = "test_etude_audit_extra.py"


def detect_style(assignment: Assignment) -> Style:
    """Detect how the assignment's tests name the solution and compare results."""
    text = "\n".join(_test_sources(assignment))
    plain = "np.allclose" in text and "np.testing" not in text and "assert_allclose" not in text
    module = module_name(assignment.solution)
    names = {
        alias.asname or alias.name
        for source in assignment.tests.values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == module
    }
    return Style(plain, f"{min(names)}." if names else "")


def find_attributes(assignment: Assignment) -> frozenset[str]:
    """Return the attribute names that occur in the tests or in modules beside the solution."""
    nodes = (node for source in _test_sources(assignment) for node in ast.walk(ast.parse(source)))
    return frozenset(
        str(node.attr if isinstance(node, ast.Attribute) else node.value)
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Constant)
    )


def _test_sources(assignment: Assignment) -> list[str]:
    """Return the sources of the tests, and of the modules beside the solution."""
    return [
        *assignment.tests.values(),
        *(text for name, text in assignment.modules.items() if name != assignment.solution),
    ]


class ReadyTest(NamedTuple):
    """A test as a function, or as a method of a `unittest.TestCase`."""

    name: str
    target: str  # the solution's function or class under test
    text: str


def write_test(
    assignment: Assignment, name: str, target: str, body: Sequence[str], change: str
) -> ReadyTest:
    """Return a test that fails on a change, in the style of the assignment's own tests."""
    is_method = assignment.kind == "unittest"
    plain = change.replace("\\", "\\\\").replace('"', "'")
    says = f'    """Fail on this change: {plain}."""'
    head = f"def {name}({'self' * is_method}):"
    text = "\n".join([head, says, *(f"    {line}" for line in body)])
    return ReadyTest(name, target, textwrap.indent(text, "    ") if is_method else text)


def write_test_file(assignment: Assignment, tests: Sequence[ReadyTest]) -> str:
    """Return the source of a module of ready-made tests."""
    style, module = detect_style(assignment), module_name(assignment.solution)
    is_unittest, texts = assignment.kind == "unittest", [test.text for test in tests]
    lines = ["import numpy as np"]
    if any("pytest.raises" in text for text in texts):
        lines.append("import pytest")
    if is_unittest:
        lines.insert(0, "import unittest\n")
    alias = style.prefix.rstrip(".")
    if not alias:
        targets = sorted({test.target for test in tests})
        lines.append(f"\nfrom {module} import {', '.join(targets)}")
    else:
        lines.append(f"\nimport {module}" + (f" as {alias}" if alias != module else ""))
    head = "\n".join(lines)
    if is_unittest:
        return f"{head}\n\n\nclass AuditTest(unittest.TestCase):\n" + "\n\n".join(texts) + "\n"
    return "\n\n\n".join([head, *texts]) + "\n"


def choose_covering_tests(kills: Mapping[str, set[str]]) -> list[str]:
    """Return a small set of tests that kills every program that any test kills.

    Args:
        kills: The programs that each test kills.
    """
    uncovered = set[str]().union(*kills.values())
    names = []
    while uncovered:
        best = max(kills, key=lambda test: len(kills[test] & uncovered))
        names.append(best)
        uncovered -= kills[best]
    return names


def convert_to_json(module: str) -> str:
    """Return a module's tests as the JSON list of a problem's folder.

    Each test is a program that defines the test function, calls it and prints `passed`.
    """
    tree = ast.parse(module)
    tests = [
        {
            "test": (
                "import numpy as np\n\n\n"
                f"{ast.get_source_segment(module, node)}\n\n\n{node.name}()\nprint('passed')"
            ),
            "expected_output": "passed",
        }
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    return json.dumps(tests, indent=2, ensure_ascii=False) + "\n"
