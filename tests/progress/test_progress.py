"""The record, and what it comes to: XP, states, streaks, what is next."""

import json
import os
import re
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.definitions.exercise import ExerciseId
from grader.errors import UsageError
from grader.grading.results.verdict import Outcome
from grader.progress.breaks import earns_xp
from grader.progress.exchange import from_json, to_json
from grader.progress.history import Attempt, BrokenProgram, History, Surrender, TakenHint
from grader.progress.status import (
    ExerciseStatus,
    Streak,
    compute_status,
    compute_statuses,
    compute_streak,
    find_next_open,
)
from grader.progress.store import FILE_NAME, RecordError, Store, find_data_folder

SOFTMAX, MASK, HEADS = ExerciseId("softmax"), ExerciseId("mask"), ExerciseId("heads")
NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, UTC)


def _attempt(
    minutes: int, outcome: Outcome = Outcome.PASSED, exercise: ExerciseId = SOFTMAX, xp: int = 10
) -> Attempt:
    at = NOON + timedelta(minutes=minutes)
    earned = xp if outcome is Outcome.PASSED else 0
    return Attempt(
        exercise, at, at.date(), outcome, 3, 4, earned, "unscaled", "ab" * 32, "cd" * 32, "1.0", "x"
    )


def _hint(minutes: int, number: int, price: int) -> TakenHint:
    return TakenHint(SOFTMAX, number, price, NOON + timedelta(minutes=minutes))


FAILED = Outcome.FAILED
FULL = History(
    (_attempt(0, FAILED), _attempt(5), _attempt(7, exercise=MASK)),
    (_hint(1, 1, 2), _hint(2, 2, 3)),
    (Surrender(HEADS, NOON),),
    (BrokenProgram(SOFTMAX, "unscaled", "softmax(np.zeros(2))", NOON),),
)


# the store


def test_what_is_added_is_read_back(tmp_path: Path) -> None:
    """Every field as it was, in the order of time; a file appears only then."""
    store = Store(tmp_path / "deep" / "folder")
    assert store.read() == History()
    assert not store.path.parent.exists()
    assert store.add(FULL) == len(FULL)
    assert store.read() == FULL
    assert [path.name for path in store.path.parent.iterdir()] == [FILE_NAME]


def test_adding_again_changes_nothing(tmp_path: Path) -> None:
    """A later purchase of the same hint changes nothing either; an earlier one counts."""
    store = Store(tmp_path)
    store.add(FULL)
    assert store.add(FULL) == 0
    assert store.add(History(hints=(_hint(9, 1, 0),))) == 0
    assert store.read() == FULL
    assert store.add(History(hints=(_hint(0, 1, 1),))) == 1
    assert store.read().hints[0] == _hint(0, 1, 1)


def test_a_write_reaches_the_disk_before_it_returns(tmp_path: Path) -> None:
    """SQLite is told to wait for it (2 is FULL)."""
    store = Store(tmp_path)
    store.add(FULL)
    with store._open() as connection:  # noqa: SLF001  the setting is not seen from outside
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_file_of_a_newer_version_is_an_error(tmp_path: Path) -> None:
    """Its tables may have another meaning, so it is neither read nor written."""
    store = Store(tmp_path)
    store.add(FULL)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 1000")
    for access in (store.read, store.read_programs, lambda: store.add(FULL)):
        with pytest.raises(RecordError, match="newer Etude"):
            access()


def test_an_empty_file_is_a_record_of_nothing(tmp_path: Path) -> None:
    """It may have been made by a command that was killed."""
    store = Store(tmp_path)
    store.path.touch()
    assert store.read() == History()
    assert store.add(FULL) == len(FULL)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE attempts SET at = 'yesterday' WHERE exercise = 'mask'",
        "UPDATE attempts SET outcome = 'splendid'",
        "UPDATE attempts SET score = x'00ff'",
        "UPDATE attempts SET day = 7",
        "DROP TABLE hints",
    ],
)
def test_a_record_that_was_tampered_with_is_an_error(tmp_path: Path, statement: str) -> None:
    """It is the error that commands expect, and names the file."""
    store = Store(tmp_path)
    store.add(FULL)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute(statement)
    with pytest.raises(RecordError, match=FILE_NAME):
        store.read()


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    """What was recorded before is still there; the next write that fits succeeds."""
    store = Store(tmp_path)
    store.add(FULL)
    size = store.path.stat().st_size
    program = (
        "import sys, resource\n"
        "from pathlib import Path\n"
        "from grader.progress.store import RecordError\n"
        "from grader.progress.store import Store\n"
        "from grader.progress.exchange import from_json\n"
        "try:\n"
        "    Store(Path(sys.argv[1])).add(from_json(sys.stdin.read()))\n"
        "except RecordError as error:\n"
        "    print(error)\n"
    )
    many = History(tuple(_attempt(100 + number) for number in range(500)))
    finished = subprocess.run(
        # Without -B, the limit would cut the bytecode of the modules that it imports first.
        [sys.executable, "-B", "-c", program, os.fspath(tmp_path)],
        input=to_json(many),
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert FILE_NAME in finished.stdout
    assert store.read() == FULL
    assert store.add(many) == 500


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_record_is_its_owner_s_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    """The mode is set under any umask before SQLite writes; a readable record is closed."""
    store, modes, connect = Store(tmp_path / "new"), [], sqlite3.connect

    def watched(*args: Any, **options: Any) -> Any:
        modes.append(stat.S_IMODE(store.path.stat().st_mode))
        return connect(*args, **options)

    monkeypatch.setattr(sqlite3, "connect", watched)
    before = os.umask(umask)
    try:
        store.add(FULL)
        store.path.chmod(0o644)
        assert store.read() == FULL
    finally:
        os.umask(before)
    assert modes == [0o600, 0o600]
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each waits for the others, from the first that makes the file."""
    events = [History((_attempt(number),)) for number in range(12)]
    threads = [
        threading.Thread(target=Store(tmp_path, patience=60).add, args=(each,)) for each in events
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Store(tmp_path).read()) == 12


def test_no_home_is_an_error_of_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user of a container who has neither a name nor $HOME."""
    for name in ("ETUDE_DATA", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what Python then does
    with pytest.raises(RecordError, match="ETUDE_DATA"):
        find_data_folder()


# XP


def test_an_exercise_nobody_tried_is_new() -> None:
    """With nothing earned."""
    assert compute_status(History(), SOFTMAX) == ExerciseStatus()
    assert ExerciseStatus().available_xp(10) == 10


def test_xp_are_earned_on_the_first_pass_alone() -> None:
    """A later change of the exercise's XP does not matter."""
    history = History((_attempt(0, FAILED), _attempt(1, xp=10), _attempt(2, xp=50)))
    found = compute_status(history, SOFTMAX)
    assert (found.state, found.earned, found.attempts) == ("passed", 10, 3)
    assert found.available_xp(50) == 0


def test_hints_before_the_pass_are_paid_and_those_after_are_not() -> None:
    """2 and 3 before, 4 after: 5 of 10 are left."""
    history = History((_attempt(5),), (_hint(1, 1, 2), _hint(2, 2, 3), _hint(9, 3, 4)))
    assert compute_status(history, SOFTMAX).earned == 5


def test_xp_are_never_negative() -> None:
    """Hints may cost more than there is."""
    history = History((_attempt(5),), (_hint(1, 1, 25),))
    assert compute_status(history, SOFTMAX).earned == 0
    assert compute_status(History(hints=history.hints), SOFTMAX).available_xp(10) == 0


def test_a_broken_program_earns_one_xp() -> None:
    """For three of an exercise, beside what its pass earns."""
    broken = tuple(BrokenProgram(SOFTMAX, f"m-{n}", "softmax(1)", NOON) for n in range(5))
    found = compute_status(History((_attempt(5),), broken=broken), SOFTMAX)
    assert (found.earned, found.total) == (10, 13)
    assert found.broken == {each.misconception for each in broken}


@pytest.mark.parametrize(
    ("program", "count", "is_worth_one"),
    [("other", 2, True), ("other", 3, False), ("m-0", 1, False), ("unscaled", 0, False)],
    ids=["third", "fourth", "broken already", "mistake of the learner"],
)
def test_what_breaking_a_program_is_worth(program: str, count: int, is_worth_one: bool) -> None:
    """Nothing after three of an exercise, nor for what the learner made or broke before."""
    broken = tuple(BrokenProgram(SOFTMAX, f"m-{n}", "softmax(1)", NOON) for n in range(count))
    others = BrokenProgram(MASK, "other", "mask(1)", NOON)
    history = History((_attempt(1, FAILED), _attempt(5)), broken=(*broken, others))
    assert earns_xp(SOFTMAX, program, history) is is_worth_one


@pytest.mark.parametrize(("minutes", "earned"), [(1, 0), (9, 10)])
def test_giving_up_counts_before_the_pass(minutes: int, earned: int) -> None:
    """To look at the solution afterwards costs nothing."""
    given_up = (Surrender(SOFTMAX, NOON + timedelta(minutes=minutes)),)
    found = compute_status(History((_attempt(5),), (), given_up), SOFTMAX)
    assert (found.state, found.earned) == ("passed", earned)


def test_failures_are_counted_since_the_last_help() -> None:
    """A hint or a pass begins again."""
    attempts = tuple(_attempt(minutes, FAILED) for minutes in (0, 1, 2))
    assert compute_status(History(attempts), SOFTMAX).failures == 3
    helped = History(attempts, (TakenHint(SOFTMAX, 1, 0, NOON + timedelta(seconds=90)),))
    assert compute_status(helped, SOFTMAX).failures == 1
    assert compute_status(History((*attempts, _attempt(3))), SOFTMAX).failures == 0


def test_exercises_are_kept_apart() -> None:
    """Each has its own state, and the XP add up."""
    found = compute_statuses(FULL)
    assert {name: each.state for name, each in found.items()} == {
        SOFTMAX: "passed",
        MASK: "passed",
        HEADS: "given up",
    }
    assert sum(each.earned for each in found.values()) == 5 + 10


# streaks


def _days(*numbers: int, outcome: Outcome = Outcome.PASSED) -> History:
    return History(tuple(_attempt(24 * 60 * number, outcome) for number in numbers))


@pytest.mark.parametrize(
    ("days", "today", "expected"),
    [
        ((), 0, Streak(0, 0)),
        ((0,), 0, Streak(1, 1)),
        ((0,), 1, Streak(1, 1)),
        ((0,), 2, Streak(0, 1)),
        ((0, 0, 1, 2), 2, Streak(3, 3)),
        ((0, 1, 2, 5), 5, Streak(1, 3)),
        ((0, 1, 2, 5), 9, Streak(0, 3)),
        ((1,), 0, Streak(1, 1)),  # west of where it was passed, it is yesterday still
    ],
)
def test_a_streak_lives_through_the_day_after(
    days: tuple[int, ...], today: int, expected: Streak
) -> None:
    """It ends when a whole day passed without a pass."""
    assert compute_streak(_days(*days), NOON.date() + timedelta(days=today)) == expected


def test_what_failed_is_no_part_of_a_streak() -> None:
    """A failed exercise does not count, however often it was tried."""
    assert compute_streak(_days(0, 1, outcome=FAILED), NOON.date()) == Streak(0, 0)


def test_a_streak_counts_the_learner_s_own_days() -> None:
    """Late on one evening and early the next morning are two days, though not in UTC."""
    evening = _attempt(0)
    days = [date(2026, 3, 1), date(2026, 3, 2)]
    fields = ("outcome", "score", "max_score", "xp", "diagnosis")
    rest = ("submission", "definition", "grader", "sandbox")
    attempts = tuple(
        Attempt(SOFTMAX, evening.at, day, *(getattr(evening, name) for name in (*fields, *rest)))
        for day in days
    )
    assert compute_streak(History(attempts), days[1]) == Streak(2, 2)


# what is next


def _next(finished: set[ExerciseId], after: ExerciseId | None) -> ExerciseId | None:
    requires = {SOFTMAX: (), MASK: (SOFTMAX,), HEADS: (MASK,)}
    return find_next_open([SOFTMAX, MASK, HEADS], finished, after, requires.__getitem__)


def test_next_is_what_follows_and_can_be_done() -> None:
    """Round again to what was left out; None when all is done."""
    assert _next(set(), None) == SOFTMAX
    assert _next({SOFTMAX}, SOFTMAX) == MASK
    assert _next({MASK}, MASK) == HEADS
    assert _next({HEADS}, HEADS) == SOFTMAX
    assert _next({SOFTMAX, MASK, HEADS}, HEADS) is None


def test_next_is_something_even_where_nothing_is_ready() -> None:
    """An exercise that requires what is nowhere does not end the track."""
    assert find_next_open([MASK], set(), None, lambda _: (SOFTMAX,)) == MASK


# export and import


def test_json_brings_everything_back() -> None:
    """In one object that says which version it has."""
    text = to_json(FULL)
    assert from_json(text) == FULL
    assert json.loads(text)["etude_progress"] == 1
    assert from_json(to_json(History())) == History()


_TIMES = st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1))  # noqa: DTZ001  hypothesis adds it
_IDS = st.from_regex(r"\A[a-z0-9]{1,5}(-[a-z0-9]{1,5}){0,2}\Z").map(ExerciseId)
_NUMBERS = st.integers(0, 10**6)


@given(st.lists(st.builds(TakenHint, _IDS, _NUMBERS, _NUMBERS, _TIMES)))
def test_any_history_survives_json(hints: list[TakenHint]) -> None:
    """And comes back in the order of time."""
    ordered = tuple(sorted(hints, key=lambda hint: hint.at))
    assert from_json(to_json(History(hints=tuple(hints)))) == History(hints=ordered)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "not exported progress"),
        ('{"etude_progress": 2}', "version 2"),
        (
            '{"etude_progress": 1, "hints": [{"exercise": "a"}]}',
            "hints, entry 1: expected the fields",
        ),
        (
            '{"etude_progress": 1, "given_up": [{"exercise": "a\\u001b", "at": "2026-01-01T00:00Z"}]}',
            "given_up, entry 1",
        ),
        (
            '{"etude_progress": 1, "given_up": [{"exercise": "a", "at": "2026-01-01"}]}',
            "with its zone",
        ),
        (
            '{"etude_progress": 1, "given_up": [{"exercise": "a", "at": "0001-01-01T00:00+23:00"}]}',
            "entry 1",
        ),
    ],
)
def test_what_is_no_export_is_named(text: str, reason: str) -> None:
    """The sentence has the place of the entry."""
    with pytest.raises(UsageError, match=re.escape(reason)):
        from_json(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_no_json_breaks_the_reader(data: object) -> None:
    """An invalid export is a `UsageError`, also inside a valid frame."""
    for text in (json.dumps(data), json.dumps({"etude_progress": 1, "attempts": [data]})):
        with pytest.raises(UsageError):
            from_json(text)
