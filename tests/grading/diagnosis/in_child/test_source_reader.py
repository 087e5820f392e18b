"""Copies of a program with one part changed."""

from grader.grading.diagnosis.in_child.source_reader import read


def test_a_loop_that_may_not_end_is_left_as_it_is() -> None:
    """Another sign in it costs a second each."""
    loop = "def f(n):\n    while n + 1 > 3:\n        n = n - 2\n    return n * 2\n"
    copies = [each[3] for each in read(loop, [])["copies"]]
    assert copies
    assert all("while n + 1 > 3:\n        n = n - 2" in each for each in copies)


def test_a_condition_that_could_switch_a_wrong_branch_off_is_left_as_it_is() -> None:
    """What is right without the branch says nothing of the condition."""
    branch = "def f(n):\n    if n - 1 > 3:\n        n = 2 * n\n    return n\n"
    copies = [each[3] for each in read(branch, [])["copies"]]
    assert copies
    assert all("if n - 1 > 3" in each for each in copies)
