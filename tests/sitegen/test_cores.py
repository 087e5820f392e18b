"""The processes of a build share the cores out where that goes evenly."""

import os

import pytest

from sitegen.cores import kept_to_core

ALL = os.sched_getaffinity(0)


def test_a_process_keeps_to_its_core_for_a_while() -> None:
    """Then it roams again."""
    seen = []
    for number in range(len(ALL)):
        with kept_to_core(number, len(ALL)):
            seen.append(os.sched_getaffinity(0))
    assert seen == [{core} for core in sorted(ALL)]
    assert os.sched_getaffinity(0) == ALL


def test_processes_that_do_not_go_into_the_cores_roam() -> None:
    """Or a core would be idle while two of them share another."""
    with kept_to_core(0, 2 * len(ALL) + 1):
        assert os.sched_getaffinity(0) == ALL


def test_a_host_that_binds_nobody_builds_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some refuse it."""

    def refused(_pid: int, _cores: set[int]) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    with kept_to_core(0, len(ALL)):
        assert os.sched_getaffinity(0) == ALL
