"""The staff pages of a large course: they tell the most important, and how much more there is."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from etude_server.settings import Settings
from tests.conftest import DOUBLE
from tests.server.api.conftest import Served
from tests.server.regrade.conftest import DEFINITION, WRONG, store_of

pytestmark = pytest.mark.slow

SHOWN = 50
STUCK = 53


def test_pages_do_not_grow_with_those_who_are_stuck(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Those with the most failures are named, on the overview and on the exercise's page."""
    folder = tmp_path / "collection"
    (folder / "small").mkdir(parents=True)
    (folder / "small/track.yaml").write_text(DEFINITION.replace("[double]", "[double, other]"))
    (folder / "small/01-double.yaml").write_text(DOUBLE)
    (folder / "small/02-other.yaml").write_text(DOUBLE.replace("id: double", "id: other"))
    served = serving(Settings(f"sqlite:///{tmp_path}/e.db", (folder,), workers=1))
    pool = served.context.grading_process
    assert pool is not None
    stored = store_of(served.context.database, pool, folder)
    for number in range(STUCK):
        for times in range(4 if number == STUCK - 1 else 3):
            stored.submit(f"student {number:03}", f"{WRONG}# {times}\n", 0)
    persistent = served.client("student 999")
    for times in range(5):
        served.submit(persistent, f"{WRONG}# {times}\n", "other")
    visitor = served.visitor()
    in_double = f"student {STUCK - 1:03}"
    for path, first, count in (
        ("/staff/", ["student 999", in_double], STUCK + 1),
        ("/staff/exercises/double", [in_double], STUCK),
    ):
        page = visitor.get(path).raise_for_status().text
        listed = page.partition("Stuck students</h2>")[2].partition("<h2>")[0]
        named = re.findall(r">(student \d+)<", listed)
        assert len(named) == SHOWN
        assert named[: len(first)] == first
        assert f"{count - SHOWN} more" in listed
        [link] = re.findall(r'href="(/v1/[^"]*)"', listed)
        found = visitor.get(link).raise_for_status().json()
        assert sum(len(each["stuck"]) for each in found) == count
