"""Time and a person's hand: what is taken in when, what counts, and who reads what."""

import re
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from http import HTTPStatus

import httpx
import pytest
from click.testing import CliRunner, Result

from etude_server.actions import grades as grade_actions
from etude_server.catalog import Catalog
from etude_server.commands import staff
from etude_server.settings import Settings
from etude_server.store import people, schedules
from grader.course.schedule import Window
from grader.errors import DefinitionError
from tests.server.api.conftest import Served
from tests.server.regrade.conftest import HALF_RIGHT, RIGHT, WRONG, write_collection

NOW = time.time()
HOUR = 3600


@pytest.fixture(scope="module")
def served(
    serving: Callable[[Settings], Served], tmp_path_factory: pytest.TempPathFactory
) -> Served:
    """A server with one exercise of which two tests of five points are visible."""
    folder = tmp_path_factory.mktemp("collection")
    write_collection(folder)
    (folder / "schedule.yaml").write_text("tracks:\n  small: {opens: 2020-01-01T08:00+01:00}\n")
    url = f"sqlite:///{tmp_path_factory.mktemp('served')}/etude.db"
    return serving(Settings(url, (folder,), workers=1, per_minute=10_000))


@pytest.fixture(autouse=True, scope="module")
def at_the_start(served: Served) -> dict[str, object]:
    """The times of the exercise before any test changes them."""
    told = served.client("first", "instructor").get("/v1/exercises/double").json()
    window: dict[str, object] = told["window"]
    return window


@pytest.fixture
def prof(served: Served) -> httpx.Client:
    """An instructor."""
    return served.client("prof", "instructor")


def _schedule(served: Served, **said: object) -> None:
    with served.context.database.write() as connection:
        window = Window(**said)  # type: ignore[arg-type]  # callers choose the keys
        schedules.store_schedule(connection, {"double": window}, actor="test")


def _person(prof: httpx.Client, name: str) -> str:
    [found] = [each["id"] for each in prof.get("/v1/people").json() if each["name"] == name]
    return str(found)


def _grade(prof: httpx.Client, name: str) -> tuple[float | None, str]:
    found = prof.get("/v1/gradebook").raise_for_status().json()["items"]
    [row] = [each for each in found if each["student"] == name]
    return row["points"], row["note"]


def test_a_schedule_is_read_at_the_start_and_again(
    served: Served, at_the_start: dict[str, object], prof: httpx.Client
) -> None:
    """Learners are told in UTC; what was changed in the file holds after the command."""
    assert at_the_start["opens"] == "2020-01-01T07:00:00+00:00"
    (folder,) = served.context.settings.exercises
    file = folder / "schedule.yaml"
    file.write_text("exercises:\n  double: {due: 2030-06-01 18:00 Europe/Zurich, late: 0.9/day}\n")
    where = ["--database", served.context.settings.database_url, "--exercises", str(folder)]
    done = CliRunner().invoke(staff.command, ["schedule", *where])
    assert done.stdout == "the schedule is changed\n"
    told = prof.get("/v1/exercises/double").json()["window"]
    assert (told["due"], told["late"]) == ("2030-06-01T16:00:00+00:00", 0.9)
    file.write_text("exercises: {double: {due: 2030-06-01T18:00}}\n")
    catalog = Catalog.load(folder)
    with pytest.raises(DefinitionError, match=r"yaml:1:27: due: .* does not say its time zone"):
        catalog.store_schedule(served.context.database, folder)
    file.unlink()


def test_the_file_of_a_schedule_extends_for_students(served: Served, prof: httpx.Client) -> None:
    """As `etude report` reads it; what staff gave stays, and what the file drops is gone."""
    late, own = served.client("late-one"), served.client("own-one")
    _schedule(served)
    for client in (late, own):
        served.submit(client, RIGHT)
    path = f"/v1/people/{_person(prof, 'own-one')}/extensions/double"
    prof.post(path, json={"due": "2030-01-01T18:00Z"}).raise_for_status()
    catalog, (folder,) = served.context.catalog, served.context.settings.exercises
    file = folder / "schedule.yaml"
    rule = "all: {due: 2026-01-01T00:00Z, late: 0.5/day, at_least: 0.25, grace: 15 min}\n"
    later = "2030-01-01T00:00Z"
    file.write_text(
        f"{rule}extensions:\n  late-one: {{all: {later}}}\n  own-one: {{double: 2026-01-02T00:00Z}}\n"
        f"  nobody: {{all: {later}}}\n"
    )
    catalog.store_schedule(served.context.database, folder)
    for name in ("late-one", "own-one"):
        assert _grade(prof, name)[0] == 5.0
    file.write_text(rule)
    catalog.store_schedule(served.context.database, folder)
    assert _grade(prof, "late-one")[0] == 1.25
    assert _grade(prof, "own-one")[0] == 5.0
    file.unlink()


def test_before_it_opens_nothing_is_taken_in(served: Served) -> None:
    """Staff may try it; a student is told when to come."""
    _schedule(served, opens=NOW + HOUR)
    sent = {"exercise": "double", "source": RIGHT}
    refused = served.client("early").post("/v1/submissions", json=sent)
    assert refused.status_code == HTTPStatus.LOCKED
    assert refused.json()["detail"].startswith("This exercise opens at 20")
    assert 3000 < int(refused.headers["Retry-After"]) < 3700
    prof = served.client("prof", "instructor")
    assert prof.post("/v1/submissions", json=sent).status_code == HTTPStatus.ACCEPTED


def test_attempts_are_counted(served: Served) -> None:
    """A repeated request does not count, also when all attempts are used up."""
    _schedule(served, max_submissions_per_day=2)
    eager = served.client("eager")
    sent = {"exercise": "double", "source": WRONG}
    for key, status in zip("abbc", (202, 202, 202, 423), strict=True):
        answer = eager.post("/v1/submissions", json=sent, headers={"Idempotency-Key": key})
        assert answer.status_code == status
    assert answer.json()["detail"].startswith("2 attempts in 24 hours are used up")


def test_the_best_counts_by_when_it_came(served: Served, prof: httpx.Client) -> None:
    """Late points by the factor, in the gradebook and for the student; an extension lifts it."""
    late = served.client("late")
    _schedule(served)
    served.submit(late, HALF_RIGHT)
    served.submit(late, RIGHT)
    _schedule(served, due=NOW - HOUR, daily_factor=0.5)
    assert _grade(prof, "late") == (2.5, "1 day late: 5 points were earned")
    [own] = late.get("/v1/progress").json()["exercises"]
    assert (own["points"], own["passed"]) == (2.5, True)
    path = f"/v1/people/{_person(prof, 'late')}/extensions/double"
    assert prof.post(path, json={"due": "2030-01-01T18:00"}).status_code == HTTPStatus.CONFLICT
    prof.post(path, json={"due": "2030-01-01T18:00+01:00"}).raise_for_status()
    assert _grade(prof, "late") == (5.0, "")


def test_what_came_in_time_counts_if_it_is_more(served: Served, prof: httpx.Client) -> None:
    """Half of the points in time are more than all of them by a factor that is lower."""
    both = served.client("both")
    _schedule(served)
    served.submit(both, HALF_RIGHT)
    between = time.time()
    served.submit(both, RIGHT)
    _schedule(served, due=between, daily_factor=0.1)
    assert _grade(prof, "both") == (2.0, "")
    _schedule(served, due=between, daily_factor=0.9)
    assert _grade(prof, "both") == (4.5, "1 day late: 5 points were earned")


def test_hidden_results_are_held_until_due(served: Served, prof: httpx.Client) -> None:
    """The student sees the visible tests, and no solution; staff sees all, and then everybody."""
    _schedule(served, due=NOW + HOUR, hold_hidden=True)
    waiting = served.client("waiting")
    location = served.submit(waiting, HALF_RIGHT)
    assert waiting.get(location).json()["outcome"] == "passed"
    held = waiting.get(f"{location}/verdict").json()
    assert [test["id"] for test in held["tests"]] == ["worked", "printed"]
    assert (held["score"], held["max_score"], held["hidden_elsewhere"]) == (2, 2, 1)
    assert waiting.get("/v1/progress").json()["exercises"] == []
    assert prof.get(f"{location}/verdict").json()["score"] == 2
    assert prof.get(f"{location}/verdict").json()["max_score"] == 5
    _schedule(served, due=NOW - HOUR, hold_hidden=True)
    assert waiting.get(f"{location}/verdict").json()["outcome"] == "failed"


def test_points_and_excuses_by_hand(served: Served, prof: httpx.Client) -> None:
    """With a reason, also for who submitted nothing; in the log by id; taken back with one, too."""
    _schedule(served)
    served.submit(served.client("hand"), WRONG)
    path = f"/v1/people/{_person(prof, 'hand')}/overrides/double"
    for wrong in ({"points": 6, "reason": "x"}, {"points": 1, "reason": " "}):
        assert prof.post(path, json=wrong).status_code == HTTPStatus.CONFLICT
    assert prof.post(path, json={"points": 6, "reason": "x"}).json()["detail"] == (
        "Give points from 0 to 5, the maximum of double, or an excuse."
    )
    prof.post(path, json={"points": 4.5, "reason": "on paper"}).raise_for_status()
    assert _grade(prof, "hand") == (4.5, "set by hand by prof: on paper")
    prof.post(path, json={"reason": "a mistake"}).raise_for_status()
    assert _grade(prof, "hand") == (0.0, "comment by prof: a mistake")
    served.client("ill")
    path = f"/v1/people/{_person(prof, 'ill')}/overrides/double"
    prof.post(path, json={"excused": True, "reason": "ill"}).raise_for_status()
    assert _grade(prof, "ill") == (None, "excused by prof: ill")
    canvas = (
        "Student,ID,SIS Login ID,Section,D (1)\n    Points Possible,,,,5\nH,1,hand,,\nI,2,ill,,\n"
    )
    filled = prof.post(
        "/v1/gradebook/canvas?column=D (1)&skip_unknown=true",
        content=canvas,
        headers={"Content-Type": "text/csv"},
    )
    assert filled.raise_for_status().text.splitlines()[2:] == ["H,1,hand,,0", "I,2,ill,,EX"]


def test_the_command_gives_no_more_than_the_maximum(served: Served, prof: httpx.Client) -> None:
    """It refuses with the sentence of the API, and an exercise that is not there."""
    settings = served.context.settings
    served.client("paper")
    where = ["--database", settings.database_url, "--exercises", str(settings.exercises[0])]

    def give(exercise: str, points: str) -> Result:
        said = ["override", "paper", exercise, "--points", points, "--reason", "on paper", *where]
        return CliRunner().invoke(staff.command, said)

    for wrong in ("5.5", "nan"):
        assert "from 0 to 5, the maximum of double" in str(give("double", wrong).exception)
    longer = ["extend", "paper", "double", "dubble", "--due", "2026-12-01T18:00Z", *where]
    for refused in (give("dubble", "1"), CliRunner().invoke(staff.command, longer)):
        assert "there is no exercise 'dubble'" in str(refused.exception)
    assert give("double", "5").stdout == "paper has 5 points in double\n"
    assert _grade(prof, "paper")[0] == 5.0


@pytest.mark.parametrize(
    "due",
    [
        *("0001-01-01T00:00+14:00", "0001-01-01 00:00 Asia/Tokyo", "1969-12-31T23:59Z"),
        *("9999-12-31T23:59-14:00", "9999-01-01T00:00Z"),
    ],
)
def test_a_date_at_the_end_of_the_calendar_is_refused(
    served: Served, prof: httpx.Client, due: str
) -> None:
    """With one sentence, wherever a date is read."""
    served.client("late")
    whom = next(each["id"] for each in prof.get("/v1/people").json() if each["name"] == "late")
    refused = prof.post(f"/v1/people/{whom}/extensions/double", json={"due": due})
    assert refused.status_code == HTTPStatus.CONFLICT
    assert "is not a time of the years 1970 to 9998; write" in refused.json()["detail"]


@pytest.mark.parametrize("year", [1, 9999])
def test_such_a_date_of_an_older_server_is_shown(served: Served, year: int) -> None:
    """As the nearest one that can be."""
    student = served.client("timeless")
    with served.context.database.write() as connection:
        owner = people.require_person_by_name(connection, "timeless")
        due = datetime(year, 12, 31, tzinfo=timezone(timedelta(hours=-14)))
        grade_actions.extend_due_date(connection, owner, "double", due, actor="test")
    served.visitor().get("/staff/schedule").raise_for_status()
    [exercise] = student.get("/v1/exercises").raise_for_status().json()
    assert exercise["window"]["due"].startswith("1970-01-01" if year == 1 else "9999-12-31")
    student.get("/v1/progress").raise_for_status()


def test_staff_comments_and_the_student_reads(served: Served, prof: httpx.Client) -> None:
    """On a line or on all of it, an assistant too; others neither read nor write."""
    _schedule(served)
    student = served.client("student")
    path = f"{served.submit(student, WRONG)}/comments"
    tutor = served.client("tutor", "assistant")
    tutor.post(path, json={"text": "Twice?", "line": 2}).raise_for_status()
    [said] = student.get(path).json()
    assert (said["line"], said["text"], said["by"]) == (2, "Twice?", "tutor")
    [own] = student.get("/v1/exercises/double/comments").json()
    assert own["source"] == WRONG
    assert own["comments"] == [said]
    assert tutor.get("/v1/exercises/double/comments").json() == []  # none of their own
    assert student.post(path, json={"text": "No."}).status_code == HTTPStatus.FORBIDDEN
    assert served.client("other").get(path).status_code == HTTPStatus.NOT_FOUND
    page = served.visitor()
    page.follow_redirects = True
    staff = path.replace("/v1", "/staff").removesuffix("/comments")
    csrf = re.findall(r'name="csrf" value="([^"]*)"', page.get(staff).text)[0]
    page.post(f"{staff}/comment", data={"csrf": csrf, "text": "<b>Good</b>", "line": ""})
    on = {"exercise": "double", "submission": staff.rpartition("/")[2]}
    on |= {"csrf": csrf, "person": _person(prof, "student")}
    sent = {**on, "points": "3", "reason": "effort"}
    shown = page.post("/staff/people/override", data=sent).raise_for_status().text
    assert "&lt;b&gt;Good" in shown
    assert "3 of 5 points (set by hand by prof: effort)" in shown
    assert "submission commented by tutor" in shown
    refused = page.post("/staff/people/extend", data={**on, "due": "tomorrow"})
    assert refused.status_code == HTTPStatus.CONFLICT
    with served.context.database.read() as connection:
        whom = people.require_person_by_name(connection, "student")
    assert _grade(prof, whom.name) == (3.0, "set by hand by prof: effort")
