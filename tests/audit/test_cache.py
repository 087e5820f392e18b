"""Audits on disk: found for the same assignment and the same request alone."""

from dataclasses import replace

from grader.audit.cache import AuditCache
from grader.audit.result import Audit, SuiteCheck, Survivor
from grader.audit.run import Request
from grader.authoring.sources.assignment import Assignment

ASSIGNMENT = Assignment(
    "double", "pytest", "solution.py", {"solution.py": "x = 1\n"}, {"test_x.py": "y = 2\n"}
)
SURVIVOR = Survivor("change", "diff", 3, "f(1)", "2", "3", "def test_f(): ...", None)
FINISHED = Audit(
    assignment=ASSIGNMENT,
    checks=(SuiteCheck("order", "hole", "A sentence.", ("test_x.py::test_one",)),),
    survivors=(SURVIVOR,),
    equivalent=(replace(SURVIVOR, change="equal"),),
    accepted=(),
    killed=7,
    seconds=1.5,
    misconceptions=2,
    untried=(replace(SURVIVOR, change="untried"),),
    unread=(replace(SURVIVOR, change="unread"),),
    extra_tests="extra\n",
)


def test_an_audit_comes_back_as_it_was() -> None:
    """With another test, another accepted change or another mistake to try it is made again."""
    cache, request = AuditCache(), Request()
    assert cache.find(ASSIGNMENT, request) is None
    cache.keep(FINISHED, request)
    assert AuditCache().find(ASSIGNMENT, Request(jobs=4)) == FINISHED
    assert cache.find(replace(ASSIGNMENT, tests={"test_x.py": "y = 3\n"}), request) is None
    assert cache.find(ASSIGNMENT, Request(accepted_changes=frozenset({"change"}))) is None
    assert cache.find(ASSIGNMENT, Request(similar_exercises=frozenset({"softmax"}))) is None
