"""Grading stored submissions again: foreseen, interrupted, held back, and written down."""

import dataclasses
from concurrent.futures import Future
from typing import Any

import pytest

from etude_server.actions import grades as grade_actions
from etude_server.actions import regrades as actions
from etude_server.store import events, grades, people, regrades, verdicts
from etude_server.store.regrades import Regrade, RegradeChange
from grader.errors import GraderFault, UsageError
from grader.grading.jobs import Job
from grader.grading.results.verdict import Verdict
from tests.server.regrade.conftest import HALF_RIGHT, OLD, RIGHT, WRONG, Stored


def _fill_store(stored: Stored) -> dict[str, str]:
    """Store one submission of each kind, by what will become of it."""
    return {
        "raised": stored.submit("ada", RIGHT, 2),
        "same": stored.submit("bob", RIGHT + "# same\n", 5),
        "lowered": stored.submit("cleo", HALF_RIGHT, 5),
        "twin": stored.submit("dan", RIGHT, 2),
    }


def _changes(stored: Stored, regrade_id: str) -> list[RegradeChange]:
    with stored.database.read() as connection:
        return list(regrades.iterate_changes(connection, regrade_id))


def _told(changes: list[RegradeChange]) -> set[tuple[str, str, int, int]]:
    return {(each.submission, each.effect, each.before.score, each.after.score) for each in changes}


def test_a_preview_foresees_what_the_run_does(stored: Stored) -> None:
    """The same submissions change in the same way, and nothing is published before the run."""
    ids = _fill_store(stored)
    before = stored.projections()
    seen = actions.preview_regrade(stored.grading, stored.plan())
    assert stored.projections() == before
    assert (seen.sources, seen.submissions, seen.tried) == (3, 4, 3)
    assert (seen.ungraded, seen.faults) == (0, 0)
    begun = stored.begin(allow_lower=True)
    actions.run_regrade(stored.grading, begun)
    assert _told(seen.changes) == _told(_changes(stored, begun.id))
    assert {each.submission: each.effect for each in seen.changes} == {
        ids["raised"]: "raised",
        ids["twin"]: "raised",
        ids["lowered"]: "lowered",
    }


def test_a_regrade_is_undone(stored: Stored) -> None:
    """What it replaced holds again, with the grades; an undo is undone in the same way."""

    def undo(done: Regrade) -> Regrade:
        begun = actions.undo_regrade(
            stored.grading, done.id, by="prof", reason="it was right before"
        )
        actions.run_regrade(stored.grading, begun)
        return begun

    ids = _fill_store(stored)
    before = {name: stored.score(each) for name, each in ids.items()}
    grades_before = [row[:7] for row in stored.projections()[1]]
    begun = stored.begin(allow_lower=True)
    with pytest.raises(UsageError, match="has ended"):
        actions.undo_regrade(stored.grading, begun.id, by="prof", reason="too early")
    actions.run_regrade(stored.grading, begun)
    after = stored.score(ids["raised"])
    with pytest.raises(UsageError, match="reason"):
        actions.undo_regrade(stored.grading, begun.id, by="prof", reason=" ")
    undone = undo(begun)
    assert {name: stored.score(each) for name, each in ids.items()} == before
    assert [row[:7] for row in stored.projections()[1]] == grades_before
    assert {each.effect for each in _changes(stored, undone.id)} == {"raised", "lowered"}
    assert _changes(stored, undo(begun).id) == []
    undo(undone)
    assert stored.score(ids["raised"]) == after


@pytest.mark.slow
def test_a_preview_of_a_sample_says_how_long_the_rest_takes(stored: Stored) -> None:
    """It tries so many sources, the same each time, and leaves the others to the run."""
    for number in range(6):
        stored.submit("ada", f"{RIGHT}# {number}\n", 2)
    seen = actions.preview_regrade(stored.grading, stored.plan(), sample=2)
    assert (seen.tried, seen.submissions_tried, seen.ungraded) == (2, 2, 4)
    assert seen.seconds is not None
    assert seen.seconds > 0
    again = actions.preview_regrade(stored.grading, stored.plan(), sample=2)
    assert (again.changes, again.ungraded) == (seen.changes, 4)


def test_identical_code_is_graded_once(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many people submitted or previewed it."""
    for name in ("ada", "bob", "cleo"):
        stored.submit(name, RIGHT, 2)
    graded: list[Job] = []
    grade = stored.grading.process.grade

    def counted(job: Job) -> Future[Verdict]:
        graded.append(job)
        return grade(job)

    monkeypatch.setattr(stored.grading.process, "grade", counted)
    actions.preview_regrade(stored.grading, stored.plan())
    actions.run_regrade(stored.grading, stored.begin())
    assert len(graded) == 1


@pytest.mark.slow
def test_a_published_verdict_is_not_lowered_unasked(stored: Stored) -> None:
    """It stays and is listed; asked for, it is lowered, and the grade follows."""
    ids = _fill_store(stored)
    first = stored.begin()
    actions.run_regrade(stored.grading, first)
    assert stored.score(ids["lowered"]) == (OLD, 5, 5)
    assert stored.score(ids["raised"]) == (stored.exercise.digest, 5, 5)
    assert [each.submission for each in _changes(stored, first.id) if each.held] == [ids["lowered"]]
    second = stored.begin(allow_lower=True)
    assert second.id != first.id
    actions.run_regrade(stored.grading, second)
    assert stored.score(ids["lowered"]) == (stored.exercise.digest, 2, 5)
    (change,) = _changes(stored, second.id)
    assert (change.effect, change.held) == ("lowered", False)
    with pytest.raises(UsageError, match="no published verdict of double is of an older version"):
        stored.plan()


def test_a_held_verdict_is_not_lowered_by_another_submission(stored: Stored) -> None:
    """Points of two versions are not compared: the better share of them is the grade."""
    best = stored.submit("ada", HALF_RIGHT, 1, most=2)  # half of the points; 2 of 5 from now on
    stored.submit("ada", HALF_RIGHT + "# again\n", 0, most=2)  # nothing; 2 of 5 from now on
    actions.run_regrade(stored.grading, stored.begin())
    (_, [grade]) = stored.projections()
    assert best in grade
    assert stored.score(best) == (OLD, 1, 2)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_an_interrupted_run_goes_on(
    stored: Stored, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is done twice, and together the runs have changed everything."""
    ids = _fill_store(stored)
    begun = stored.begin()
    publish = verdicts.publish_verdict
    left = count

    def interrupted(*arguments: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        publish(*arguments, **named)
        if left < 0:
            raise RuntimeError("interrupted")

    monkeypatch.setattr(verdicts, "publish_verdict", interrupted)
    with pytest.raises(RuntimeError, match="interrupted"):
        actions.run_regrade(stored.grading, begun)
    monkeypatch.undo()
    again = stored.begin()
    assert again.id == begun.id
    assert again.done < again.sources == 3
    actions.run_regrade(stored.grading, begun)
    with stored.database.read() as connection:
        ended = regrades.find_regrade(connection, begun.id)
    assert ended is not None
    assert ended.state == "finished"
    assert sorted(stored.events(events.PUBLISHED)[4:]) == sorted(
        [ids["raised"], ids["twin"], ids["same"]]
    )
    assert stored.events(events.HELD) == [ids["lowered"]]


def test_a_run_that_lacks_only_its_end_can_be_ended(stored: Stored) -> None:
    """The last verdict was published, then the process died: the same command finds it."""
    stored.submit("ada", RIGHT, 2)
    begun = stored.begin()
    stops = iter([False, True])  # before its source, behind it
    actions.run_regrade(stored.grading, begun, should_stop=lambda: next(stops))
    with stored.database.read() as connection:
        [left] = regrades.list_running_regrades(connection)
    assert (left.id, left.done, left.sources) == (begun.id, 1, 1)
    actions.run_regrade(stored.grading, stored.begin())
    with stored.database.read() as connection:
        assert regrades.list_running_regrades(connection) == []


def test_two_processes_at_one_regrade_do_nothing_twice(stored: Stored) -> None:
    """A source is claimed in the transaction that publishes it."""
    stored.submit("ada", RIGHT, 2)
    begun = stored.begin()
    with stored.database.read() as connection:
        (digest,) = regrades.list_open_sources(connection, begun)
    with stored.database.write() as connection:
        assert regrades.claim_source(connection, begun.id, digest)
        assert not regrades.claim_source(connection, begun.id, digest)


def test_a_cancelled_regrade_stops(stored: Stored) -> None:
    """What it published stays, nothing more comes, and it says how far it was."""
    _fill_store(stored)
    begun = stored.begin()

    def cancel() -> None:
        with stored.database.write() as connection:
            regrades.mark_ended(connection, begun.id, "cancelled", actor="prof")

    actions.run_regrade(stored.grading, begun, on_progress=cancel)
    with stored.database.read() as connection:
        ended = regrades.find_regrade(connection, begun.id)
    assert ended is not None
    assert 1 <= ended.done < ended.sources == 3
    assert ended.state == "cancelled"
    assert stored.begin().id != begun.id


def test_what_cannot_be_graded_is_left_for_another_run(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault is not a verdict: the submission keeps the old one, and the regrade goes on later."""
    ids = _fill_store(stored)
    begun = stored.begin()
    grade = stored.grading.process.grade

    def failing(job: Job) -> Future[Verdict]:
        if not job.submission.source.endswith("# same\n"):
            return grade(job)
        future: Future[Verdict] = Future()
        future.set_exception(GraderFault("a worker died"))
        return future

    monkeypatch.setattr(stored.grading.process, "grade", failing)
    with pytest.raises(GraderFault, match="one source could not be graded"):
        actions.run_regrade(stored.grading, begun)
    assert stored.score(ids["same"]) == (OLD, 5, 5)
    monkeypatch.undo()
    actions.run_regrade(stored.grading, stored.begin())
    assert stored.score(ids["same"]) == (stored.exercise.digest, 5, 5)
    with stored.database.read() as connection:
        assert regrades.list_running_regrades(connection) == []


def test_a_regrade_to_yet_another_version_has_to_wait(stored: Stored) -> None:
    """Two regrades would overwrite each other, so one waits or is cancelled."""
    stored.submit("ada", WRONG, 5)
    begun = stored.begin()
    with pytest.raises(UsageError, match=f"--cancel {begun.id}"):
        stored.begin(allow_lower=True)
    other = dataclasses.replace(stored.exercise, digest="f" * 64)
    catalog = dataclasses.replace(stored.grading.catalog, exercises={"double": other})
    stored.grading.catalog = catalog
    with pytest.raises(UsageError, match=f"--cancel {begun.id}"):
        stored.begin()
    with pytest.raises(UsageError, match="is not version"):
        actions.run_regrade(stored.grading, begun)


def test_a_reason_is_needed(stored: Stored) -> None:
    """Whose grade changes will ask for it."""
    stored.submit("ada", WRONG, 5)
    with pytest.raises(UsageError, match="reason"):
        actions.start_regrade(stored.grading, stored.plan(), by="prof", reason=" ")


def test_the_version_to_leave_has_to_be_clear(stored: Stored) -> None:
    """Left out, or by its first characters, if that says which; else all are named."""
    stored.submit("ada", WRONG, 5)
    assert stored.plan().from_hash == OLD
    assert actions.plan_regrade(stored.grading, "double", "00").from_hash == OLD
    with pytest.raises(UsageError, match="000000000000 \\(1\\)"):
        actions.plan_regrade(stored.grading, "double", "1")
    with pytest.raises(UsageError, match="nothing would change"):
        actions.plan_regrade(stored.grading, "double", stored.exercise.digest[:8])
    with pytest.raises(UsageError, match="no exercise"):
        actions.plan_regrade(stored.grading, "nothing")


def test_an_override_given_while_a_regrade_runs_stays(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts before and after the verdict changes; the verdict changes all the same."""
    submission_id = stored.submit("ada", RIGHT, 2)
    grade = stored.grading.process.grade
    plan = stored.plan()
    points: list[float | None] = []

    def of_ada() -> float | None:
        with stored.database.read() as connection:
            ada = people.require_person_by_name(connection, "ada")
            kept = grades.find_grade(connection, ada.id, str(plan.exercise.id))
        return kept.points if kept else None

    def overridden(job: Job) -> Future[Verdict]:
        with stored.database.write() as connection:
            ada = people.require_person_by_name(connection, "ada")
            grade_actions.override_points(
                connection, ada, plan.exercise, 1, "by hand", actor="prof"
            )
        points.append(of_ada())
        return grade(job)

    monkeypatch.setattr(stored.grading.process, "grade", overridden)
    actions.run_regrade(stored.grading, stored.begin())
    assert stored.score(submission_id)[1] == 5
    assert [*points, of_ada()] == [1, 1]
