"""Processes share the processor's cores out among themselves where that goes evenly."""

import os

import pytest

from grader.cpu_affinity import core_of, cores, kept_to

ALL = os.sched_getaffinity(0)


def test_as_many_processes_as_cores_have_one_each() -> None:
    """And twice as many share each with one other."""
    assert cores() == sorted(ALL)
    assert [core_of(number, len(ALL)) for number in range(len(ALL))] == cores()
    assert sorted(core_of(n, 2 * len(ALL)) or 0 for n in range(2 * len(ALL))) == sorted(2 * cores())


def test_processes_that_do_not_go_into_the_cores_roam() -> None:
    """Or a core would be idle while two of them share another."""
    if len(ALL) == 1:
        pytest.skip("any number goes into the one core of this machine")
    assert {core_of(number, len(ALL) + 1) for number in range(len(ALL) + 1)} == {None}
    with kept_to(None):
        assert os.sched_getaffinity(0) == ALL


def test_a_process_keeps_to_a_core_for_a_while() -> None:
    """Then it roams again."""
    seen = []
    for core in cores():
        with kept_to(core):
            seen.append(os.sched_getaffinity(0))
    assert seen == [{core} for core in cores()]
    assert os.sched_getaffinity(0) == ALL


def test_a_host_that_binds_nobody_goes_on_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some refuse it."""

    def refused(_pid: int, _cores: set[int]) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    with kept_to(cores()[0]):
        assert os.sched_getaffinity(0) == ALL
