"""The outbox of grades, in both dialects: the newest is told, by one sender at a time."""

import json
import time

import pytest
from sqlalchemy import Connection, delete, insert, select

from etude_server.store import people, platforms, unsent_scores
from etude_server.store.database import Database
from etude_server.store.platforms import PlatformRegistration
from etude_server.store.tables import grade, outbox
from etude_server.store.unsent_scores import LineItem, ScoreToSend

_HOST = "https://moodle.example.org"


@pytest.fixture
def line(database: Database) -> LineItem:
    """A person's line item."""
    with database.write() as connection:
        ada = people.add_person(connection, "ada", "student", actor="test")
        wanted = PlatformRegistration(_HOST, "tool", _HOST, _HOST, _HOST, _HOST)
        platform = platforms.register_platform(connection, wanted, ["1"], actor="test")
        made = LineItem(ada.id, "softmax", platform.id, "5", f"{_HOST}/lines/1")
        unsent_scores.store_line_item(connection, made)
    return made


def _earn(connection: Connection, line: LineItem, score: int) -> None:
    own = {"person_id": line.person_id, "exercise": line.exercise}
    connection.execute(delete(grade).filter_by(**own))
    rest = {"submission_id": "s", "max_score": 9, "passed": False, "xp": 0, "event_seq": 1}
    connection.execute(insert(grade).values(**own, **rest, score=score))
    unsent_scores.queue_grade(connection, line.person_id, line.exercise)


def _claim(database: Database) -> ScoreToSend | None:
    with database.write() as connection:
        return unsent_scores.claim_next_score(connection)


def test_one_sender_has_a_grade_in_hand(database: Database, line: LineItem) -> None:
    """No one else gets it, not even when it changes; then the newest is told, and nothing more."""
    assert _claim(database) is None
    with database.write() as connection:
        _earn(connection, line, 3)
    first = _claim(database)
    assert first is not None
    assert first.line_item == line
    for score in (5, 7):
        with database.write() as connection:
            _earn(connection, line, score)
    assert _claim(database) is None
    with database.write() as connection:
        unsent_scores.record_sent(connection, first)
    second = _claim(database)
    assert second is not None
    assert (first.grade["score"], second.grade["score"]) == (3, 7)
    assert first.grade["at"] < second.grade["at"]
    with database.write() as connection:
        unsent_scores.record_sent(connection, second)
        _earn(connection, line, 7)
    assert _claim(database) is None
    with database.read() as connection:
        assert not unsent_scores.list_unsent_grades(connection)


def test_timestamps_grow_when_the_clock_jumps_back(
    database: Database, line: LineItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A platform takes only what is newer, so what comes later is later."""
    with database.write() as connection:
        _earn(connection, line, 3)
        monkeypatch.setattr(unsent_scores, "now", lambda: 1_000_000)
        before = json.loads(connection.execute(select(outbox.c.body)).scalar_one())
        _earn(connection, line, 4)
        after = json.loads(connection.execute(select(outbox.c.body)).scalar_one())
    assert after["at"] == before["at"] + 1


def test_a_grade_that_changed_in_hand_is_not_parked(database: Database, line: LineItem) -> None:
    """What is refused for good is what was sent; what came meanwhile gets its own try."""
    with database.write() as connection:
        _earn(connection, line, 3)
    first = _claim(database)
    assert first is not None
    with database.write() as connection:
        _earn(connection, line, 4)
        unsent_scores.park_score(connection, first, "refused")
    second = _claim(database)
    assert second is not None
    with database.write() as connection:
        unsent_scores.park_score(connection, second, "refused again")
        (parked,) = unsent_scores.list_unsent_grades(connection)
    assert (parked.person, parked.parked, parked.last_error) == ("ada", True, "refused again")
    assert _claim(database) is None
    with database.write() as connection:
        unsent_scores.store_line_item(connection, line)
    assert _claim(database) is not None


def test_a_silent_sender_is_taken_for_dead(
    database: Database, line: LineItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had in hand is sent by another after two minutes."""
    with database.write() as connection:
        _earn(connection, line, 3)
    assert _claim(database) is not None
    monkeypatch.setattr(unsent_scores, "now", lambda: time.time_ns() // 1000 + 121_000_000)
    again = _claim(database)
    assert again is not None
    assert again.tries == 2


def test_a_resting_platform_is_left_in_peace(database: Database, line: LineItem) -> None:
    """Its grades wait, those of others do not."""
    with database.write() as connection:
        _earn(connection, line, 3)
        assert unsent_scores.claim_next_score(connection, [line.platform_id]) is None
        assert unsent_scores.claim_next_score(connection, ["another"]) is not None


def test_a_platform_is_registered_once(database: Database, line: LineItem) -> None:
    """Registered again, its addresses change and deployments come to it."""
    moved = PlatformRegistration(_HOST, "tool", *[f"{_HOST}/new"] * 4)
    with database.write() as connection:
        again = platforms.register_platform(connection, moved, ["2"], actor="test")
        assert platforms.list_platforms(connection) == [again]
    assert again.id == line.platform_id
    assert again.jwks_url == again.grades_url == f"{_HOST}/new"
    assert again.deployments == {"1", "2"}
