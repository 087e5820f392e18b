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
from datetime import UTC, datetime, timedelta
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
from grader.progress.status import Streak, compute_status, compute_streak, find_next_open
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


# What a history comes to, beside the cases of `test_shared_cases.py`


@pytest.mark.parametrize(
    ("history", "available"),
    [
        (History(), 10),
        (History(hints=(_hint(1, 1, 3),)), 7),
        (History(hints=(_hint(1, 1, 25),)), 0),
        (History((_attempt(1, xp=5),)), 0),
    ],
    ids=["new", "a hint", "hints for more than there is", "passed"],
)
def test_a_pass_is_worth_what_hints_leave(history: History, available: int) -> None:
    """Nothing after a pass, whatever the exercise is worth now."""
    assert compute_status(history, SOFTMAX).available_xp(10) == available


def test_a_pass_further_east_is_part_of_a_streak() -> None:
    """Where the learner is now, it is yesterday still."""
    assert compute_streak(History((_attempt(24 * 60),)), NOON.date()) == Streak(1, 1)


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
