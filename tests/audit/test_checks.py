"""The questions about tests, and the sentences that answer them."""

from grader.audit import suite_checks
from grader.audit.tasks import PytestResult

ONE, TWO = "test_a.py::test_one", "test_a.py::test_two"


def test_a_test_that_kills_no_more_than_another_is_redundant() -> None:
    """If two tests kill the same programs, only the later one is redundant."""
    kills = {ONE: frozenset("ab"), TWO: frozenset("ab"), "three": frozenset("c")}
    found = suite_checks.check_redundancy(kills)
    assert (found.verdict, found.tests) == ("note", (TWO,))
    assert (
        suite_checks.check_redundancy({ONE: frozenset("ab"), TWO: frozenset("bc")}).verdict == "ok"
    )


def test_what_every_test_accepts_is_a_hole() -> None:
    """What only some accept is a note; a test with no changed result is not counted."""
    hole = suite_checks.check_wrong_results("accepts sevens", {"sevens": [ONE]}, {"sevens": [ONE]})
    assert hole.verdict == "hole"
    assert hole.sentence == "The only test accepts a result of the right shape full of sevens."
    note = suite_checks.check_wrong_results("accepts sevens", {"NaN": [ONE]}, {"NaN": [ONE, TWO]})
    assert (note.verdict, note.tests) == ("note", (ONE,))
    assert "1 of 2 tests accepts" in note.sentence


def test_rounding_to_float32_is_no_hole() -> None:
    """Most tests allow it, and with reason."""
    found = suite_checks.check_wrong_results("tolerance", {"float32": [ONE]}, {"float32": [ONE]})
    assert found.verdict == "note"


def test_a_test_without_the_rights_it_needs_is_no_failure_of_the_solution() -> None:
    """The sentence says what it needs; another failure is a hole."""
    denied = PytestResult(ONE, "failed", "PermissionError: [Errno 13] Permission denied: 'x'")
    passed = PytestResult(TWO, "passed")
    found = suite_checks.check_solution([denied, passed])
    assert (found.verdict, found.tests) == ("note", (ONE,))
    assert "1 of 2 tests needs a file to write" in found.sentence
    for reason in ("[Errno 1] Operation not permitted", "[Errno -3] Temporary failure"):
        refused = f"urllib.error.URLError: <urlopen error {reason}>"
        assert suite_checks.is_denied(PytestResult(ONE, "failed", refused))
    wrong = suite_checks.check_solution([PytestResult(ONE, "failed", "assert 1 == 2"), passed])
    assert (wrong.verdict, wrong.tests) == ("hole", (ONE,))


def test_what_inputs_share_is_said_where_it_tells_something() -> None:
    """NumPy's own dtype, and numbers without ties, are what most tests have."""
    float64, ties = "have the dtype float64", "have no two equal numbers"
    said = "All arrays in the tests have the dtype float64."
    assert suite_checks.check_inputs([float64], "np.zeros_like(x)").sentence == said
    assert suite_checks.check_inputs([ties], "np.argsort(x)").verdict == "note"
    assert suite_checks.check_inputs([float64, ties], "x + 1").verdict == "ok"
    assert suite_checks.check_inputs(["are square"], "x + 1").verdict == "note"


def test_a_branch_that_no_test_enters_is_a_hole() -> None:
    """One that only a test enters which fails on the solution is a note: it is left out."""
    hole = suite_checks.check_branches({4: "f", 9: "g"}, {9: "g"})
    assert hole.verdict == "hole"
    assert hole.sentence == "No test enters line 4 of f; only failing tests enter line 9 of g."
    assert suite_checks.check_branches({9: "g"}, {9: "g"}).verdict == "note"
    assert suite_checks.check_branches({}, {}).verdict == "ok"
