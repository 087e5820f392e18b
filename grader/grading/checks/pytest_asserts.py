"""The parts of pytest that a pytest body uses."""

import pytest

# The only way to rewrite what is no file on disk; the one thing of pytest's that is not public.
from _pytest.assertion.rewrite import rewrite_asserts

from grader.grading.checks.pytest_test import Asserts

REWRITTEN = Asserts(
    rewrite_asserts,
    {"pytest": pytest},
    (AssertionError, pytest.fail.Exception),
    (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception),
    lambda _statement, error: str(error),
)
