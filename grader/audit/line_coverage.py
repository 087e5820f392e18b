"""The lines of the solution that tests execute, and the branches that none enters."""

import ast
from collections.abc import Sequence

from grader.audit.tasks import PytestResult
from grader.audit.wrong_programs import WrongProgram


class LineCoverage:
    """The lines of the solution that each test executes."""

    def __init__(self, source: str, tests: Sequence[PytestResult]) -> None:
        self._tests = tests
        self._is_known = any(test.calls for test in tests)
        self._spans: dict[int, range] = {}
        self._tree = ast.parse(source)
        for node in ast.walk(self._tree):
            if isinstance(node, ast.stmt):
                body = getattr(node, "body", None)
                end = node.end_lineno or node.lineno
                if isinstance(body, list) and body:
                    end = max(node.lineno, body[0].lineno - 1)
                for line in range(node.lineno, end + 1):
                    self._spans[line] = range(node.lineno, end + 1)

    def find_tests_reaching(self, program: WrongProgram) -> frozenset[str]:
        """Return the tests that execute a changed line."""
        lines = {*self._spans.get(program.line, (program.line,))}
        reaches_all = not self._is_known or program.misconception is not None
        return frozenset(test.id for test in self._tests if reaches_all or test.lines & lines)

    def find_unentered_branches(self, tests: Sequence[PytestResult]) -> dict[range, str]:
        """Return the line range and function name of each branch that no test enters.

        Only functions that a test calls count, and only the outermost of nested branches.
        """
        lines = frozenset[int]().union(*(test.lines for test in tests))
        branches: dict[range, str] = {}
        waiting: list[tuple[ast.AST, str]] = [(self._tree, "")] if self._is_known else []
        while waiting:
            node, name = waiting.pop()
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = "" if isinstance(node, ast.ClassDef) else node.name
            for part in ("body", "orelse", "finalbody", "handlers"):
                block = getattr(node, part, None)
                if not isinstance(block, list) or not block:
                    continue
                first = block[0]
                is_entered = not name or bool(lines & {*self._spans.get(first.lineno, ())})
                is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                if is_function and is_text and len(block) > 1:
                    is_entered = bool(lines & {*self._spans.get(block[1].lineno, ())})
                if isinstance(first, ast.ExceptHandler) or is_entered:
                    waiting += [(statement, name) for statement in block]
                elif not is_function and ast.unparse(block[-1]) != "return NotImplemented":
                    end = block[-1].end_lineno or first.lineno
                    branches[range(first.lineno, end + 1)] = name
        return dict(sorted(branches.items(), key=lambda item: item[0].start))
