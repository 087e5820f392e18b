"""A term at random: whatever people and staff did before, no request makes the service fail."""

import contextlib
import itertools
import json
import os
import random
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import httpx
import pytest

from etude_server.actions import grades as grade_actions
from etude_server.actions import people as people_actions
from etude_server.grading import GradingService
from etude_server.settings import Settings
from etude_server.store import people, schedules
from etude_server.store.database import Database
from grader.course.schedule import Window
from grader.errors import UsageError
from tests.conftest import DOUBLE, TWICE
from tests.server.api.conftest import Served, grading_worker
from tests.server.regrade.conftest import HALF_RIGHT, OLD, RIGHT, WRONG, Stored

# `ETUDE_SEED=7 pytest tests/server/api/test_states.py` takes another course of events, and
# `ETUDE_REQUESTS=20000` a longer one.
SEED: Final = int(os.environ.get("ETUDE_SEED", "1"))
REQUESTS: Final = int(os.environ.get("ETUDE_REQUESTS", "1000"))
EXERCISES: Final = ("double", "twice", "thrice")  # `schedule.yaml` names the first
AT_ONCE: Final = 4  # terms
STAFF: Final = "the "  # how the names of staff begin, who stay
NOTHING: Final = "00000000-0000-0000-0000-000000000000"
# What a reader of the API, of a page or of the database may stumble over.
TEXTS: Final = (
    *("", " ", "x", "0", "-1", "=1+1", "é", "\u202e", "\ud800", "\0", "a\nb", "'", '"', "%", "_"),
    *("NaN", "1e999", "x" * 200, "x" * 10_001, "null", "a,b;c\td", "\ufeff", "\U0001f600", NOTHING),
)
TIMES: Final = (
    *("0001-01-01T00:00+14:00", "0001-01-01T00:00-14:00", "0001-01-02T00:00+00:00"),
    *("9999-12-31T23:59-14:00", "9999-12-31T23:59+14:00", "9999-12-30T00:00+00:00"),
    *("1969-12-31T23:59+00:00", "1970-01-01T00:00Z", "2024-02-29T12:00 Europe/Zurich"),
    *("2026-01-01T00:00+00:00", "2038-01-19T03:14:08Z", "2200-01-01T00:00+23:59"),
    *("2026-10-25 02:30 Europe/Zurich", "0001-01-01 00:00 Asia/Tokyo", "soon", "2026-01-01"),
)
NUMBERS: Final = (
    *(None, 0, -0.0, 1, 2.5, 5, 1e-320, 1e6, 1e300, -1, 2**31, 2**64, True, "3"),
    *(float("nan"), float("inf")),
)
FILTERS: Final = (
    *("after", "before", "limit", "exercise", "person", "section", "state", "role", "format"),
    *("column", "match", "next", "key"),
)
# The fields of each form of a staff page; the API's requests call the same actions, and
# `test_openapi` sends those.
FORMS: Final = {
    "/staff/people/change": "person role disabled",
    "/staff/people/erase": "person sure",
    "/staff/people/export": "person",
    "/staff/people/extend": "person exercise due",
    "/staff/people/import": "roster",
    "/staff/people/invite": "person",
    "/staff/people/override": "person exercise points excused reason",
    "/staff/gradebook/canvas": "export column exercise match scale skip_unknown",
    "/staff/regrades": "exercise from_hash reason allow_lower",
    "/staff/regrades/preview": "exercise from_hash",
    "/staff/regrades/{regrade}/cancel": "",
    "/staff/regrades/{regrade}/undo": "reason",
    "/staff/submissions/{submission}/comment": "text line",
    "/staff/submissions/{submission}/release": "",
    "/staff/unsent/retry": "",
}
ON: Final = ("on",)
VALUES: Final[dict[str, tuple[object, ...]]] = {
    "exercise": (*EXERCISES, *EXERCISES, *TEXTS),
    "due": (*TIMES, *TIMES, *TEXTS),
    "points": NUMBERS,
    "line": NUMBERS,
    "role": ("student", "student", "assistant", "grader", "boss"),
    "disabled": ("yes", "no", "no", ""),
    "from_hash": (OLD, OLD[:4], *TEXTS),
    "column": ("A", "A", *TEXTS),
    "match": ("SIS Login ID",),
    **dict.fromkeys(("sure", "excused", "allow_lower", "scale", "skip_unknown"), ON),
}
PAGES: Final = (
    *("/staff/", "/staff/submissions", "/staff/regrades", "/staff/people", "/staff/gradebook"),
    *("/staff/gradebook/gradebook.csv", "/staff/gradebook/moodle.csv", "/staff/schedule"),
    *("/staff/unsent", "/sign-in", "/invite"),
    *(f"/staff/exercises/{name}" for name in EXERCISES),
)
LISTS: Final = (
    *("/v1/gradebook?limit=3", "/v1/gradebook?limit=1000", "/v1/gradebook?format=csv"),
    *("/v1/statistics", "/v1/submissions", "/v1/regrades", "/v1/people"),
)


class Term:
    """What happens in a term at one server, each time something else."""

    def __init__(self, served: Served, seed: int) -> None:
        self.served = served
        self.chosen = random.Random(seed)  # noqa: S311  no secret
        self.statuses: Counter[int] = Counter()
        self.failed: list[str] = []
        self.submissions = [NOTHING]
        self.regrades = [NOTHING]
        self.exercises = dict(served.context.catalog.exercises)
        self.staff = self._watched(served.client(f"{STAFF}instructor", "instructor"))
        self.page = self._watched(served.visitor(f"{STAFF}instructor"))
        self.csrf = self.page.get("/v1/session").raise_for_status().json()["csrf"]
        self.students = {
            name: self._watched(served.client(name))
            for name in (f"{seed}-{number}" for number in range(3))
        }
        paths = self.page.get("/v1/openapi.json").json()["paths"]
        self.reads = [path for path, of in paths.items() if "get" in of and "events" not in path]

    def _watched(self, client: httpx.Client) -> httpx.Client:
        client.event_hooks["response"].append(self._answered)
        client.timeout = 600  # seconds: a busy machine is not a failure
        return client

    def _answered(self, answer: httpx.Response) -> None:
        self.statuses[answer.status_code] += 1
        if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            told = f"{answer.request.method} {answer.request.url} {answer.request.content[:200]!r}"
            self.failed.append(f"{answer.status_code} {told}")

    def go_on(self, requests: int) -> None:
        """Let things happen until there were so many requests."""
        rules = (
            *(self.submit, self.submit, self.look, self.invite, self.lose_or_find),
            *(self.form,) * 8,
            *(self.page_of_staff, self.page_of_staff, self.read, self.read, self.read),
            self.at_once,
        )
        while self.statuses.total() < requests:
            self.chosen.choice(rules)()

    def one_of(self, *these: Any) -> Any:
        """Return one of these."""
        return self.chosen.choice(these)

    def person(self) -> str:
        """Return the id of a person who is not this test's staff."""
        listed = self.staff.get("/v1/people").json()
        others = (each["id"] for each in listed if not each["name"].startswith(STAFF))
        return str(self.one_of(NOTHING, *others))

    def form(self) -> None:
        """Send a form of a staff page, perhaps without some of its fields."""
        path, names = self.one_of(*FORMS.items())
        path = path.format(
            regrade=self.one_of(*self.regrades), submission=self.one_of(*self.submissions)
        )
        fields = [name for name in names.split() if self.chosen.random() < 0.9]
        sent = {name: self.value(name) for name in fields}
        body = urlencode({"csrf": self.csrf, **sent}, errors="surrogatepass")
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self.page.post(path, content=body, headers=headers)
        _, is_regrade, regrade_id = answer.headers.get("Location", "").partition("/regrades/")
        if is_regrade:
            self.regrades.append(regrade_id)

    def value(self, name: str) -> object:
        """Return a value of a form's field."""
        if name == "person":
            return self.person()
        if name in {"roster", "export"}:
            return self.table(name)
        return self.one_of(*VALUES.get(name, ("why", *TEXTS)))

    def table(self, name: str) -> str:
        """Return a roster, or a gradebook as Canvas exports it."""
        if name == "roster":
            names = (*self.students, "new", "a", *TEXTS)
            rows = [
                ",".join((self.one_of(*names), *self.chosen.choices(TEXTS, k=3)))
                for _ in range(self.chosen.randrange(4))
            ]
            return "\n".join(["id,name,login,section", *rows])
        rows = [f"N,{number},{name}," for number, name in enumerate(self.students)]
        points = f"Points Possible,,,{self.one_of(*TEXTS)}"
        return "\n".join(["Student,ID,SIS Login ID,A", points, *rows, ""])

    def filters(self) -> str:
        """Return a query."""
        values = (
            *TEXTS,
            *EXERCISES,
            *self.students,
            "csv",
            "graded",
            "parked",
            "pending",
            "999",
            "1001",
        )
        names = self.chosen.sample(FILTERS, self.chosen.randrange(3))
        return urlencode({name: self.one_of(*values) for name in names}, errors="replace")

    def submit(self) -> None:
        """Submit something, perhaps again, or under the id of another submission."""
        client = self.one_of(*self.students.values())
        key = self.one_of("", "a", "b", self.submissions[-1])
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        source = self.one_of(RIGHT, HALF_RIGHT, WRONG, "def", *TEXTS)
        body = json.dumps({"exercise": self.one_of(*EXERCISES, "none"), "source": source})
        answer = client.post("/v1/submissions", content=body, headers=headers)
        if answer.status_code == HTTPStatus.ACCEPTED:
            self.submissions.append(answer.json()["id"])

    def look(self) -> None:
        """Let a student look, or come again under their name after they were erased."""
        name = self.one_of(*self.students)
        for path in ("/v1/progress", "/v1/exercises", "/v1/session"):
            answer = self.students[name].get(path)
        known = [each["name"] for each in self.staff.get("/v1/people").json()]
        if answer.status_code == HTTPStatus.UNAUTHORIZED and name not in known:
            self.students[name] = self._watched(self.served.client(name))

    def invite(self) -> None:
        """Invite a person, who then signs in."""
        made = self.staff.post(f"/v1/people/{self.person()}/invite")
        if made.status_code == HTTPStatus.OK:
            with httpx.Client(base_url=self.served.url, timeout=120) as browser:
                self._watched(browser).get(made.json()["path"])
                browser.post("/invite", data={"key": made.json()["path"].partition("=")[2]})
                browser.get("/v1/progress")

    def lose_or_find(self) -> None:
        """Take an exercise out of the collection, or bring all of them back."""
        catalog = self.served.context.catalog
        kept = self.chosen.sample(list(self.exercises), 2)
        is_whole = len(catalog.exercises) == len(EXERCISES)
        catalog.exercises = {n: self.exercises[n] for n in (kept if is_whole else self.exercises)}

    def page_of_staff(self) -> None:
        """Look at pages."""
        self.page.get(f"{self.one_of(*PAGES)}?{self.filters()}")
        self.page.get(f"/staff/submissions/{self.one_of(*self.submissions)}")
        self.page.get(f"/staff/regrades/{self.one_of(*self.regrades)}")

    def read(self) -> None:
        """Read anything, as staff and as a student."""
        ids = {
            "person_id": self.person(),
            "submission_id": self.one_of(*self.submissions),
            "regrade_id": self.one_of(*self.regrades),
            "exercise": self.one_of(*EXERCISES, *TEXTS),
        }
        path, query = self.one_of(*self.reads), self.filters()
        path = re.sub(r"{(\w+)}", lambda found: quote(ids[found[1]], errors="replace"), path)
        for client in (self.staff, self.one_of(*self.students.values())):
            client.get(f"{path}?{query}")

    def at_once(self) -> None:
        """Read what others write at this moment."""
        with ThreadPoolExecutor(4) as pool:
            read = [pool.submit(self.staff.get, path) for path in self.chosen.sample(LISTS, 3)]
            read += [pool.submit(self.page.get, path) for path in self.chosen.sample(PAGES, 2)]
            read += [pool.submit(each.get, "/v1/progress") for each in self.students.values()]
        for each in read:
            each.result()


class OtherProgram:
    """Another program that writes to the store, as the commands of staff do."""

    def __init__(self, term: Term, database: Database) -> None:
        context = term.served.context
        assert context.grading_process is not None
        self.exercises = term.exercises
        grading = GradingService(database, context.catalog, context.grading_process)
        self.stored = Stored(grading, term.exercises["double"])
        self.chosen = random.Random(SEED)  # noqa: S311  no secret

    def write(self, count: int) -> None:
        """Give a student a verdict of an older version, a due date and points, or erase them."""
        name = f"old {count % 12}"
        self.stored.submit(name, f"{RIGHT}# {count % 100}\n", count % 6)
        # Each in a transaction of its own, as each command is.
        with self.stored.database.write() as connection:
            whom = people.add_person(connection, name, "student", actor="test")
        with self.stored.database.write() as connection:
            due = self.chosen.randrange(4 * 10**9)
            exercise = self.exercises[self.chosen.choice(EXERCISES)]
            grade_actions.extend_due_date(
                connection, whom, str(exercise.id), datetime.fromtimestamp(due, UTC), actor="test"
            )
        with self.stored.database.write() as connection:
            points = self.chosen.choice([None, 0, 1.5])
            grade_actions.override_points(connection, whom, exercise, points, "said", actor="test")
        if count % 5 == 0:
            named = self.chosen.sample(EXERCISES, self.chosen.randrange(3))
            late, is_held = self.chosen.choice([0.0, 0.9]), self.chosen.random() < 0.5
            window = Window(
                due=due,
                daily_factor=late,
                max_submissions_per_day=self.chosen.choice([None, 3]),
                hold_hidden=is_held,
            )
            with self.stored.database.write() as connection:
                schedules.store_schedule(connection, dict.fromkeys(named, window), actor="test")
        if count % 50 == 0:
            with self.stored.database.write() as connection:
                people_actions.erase_person(connection, whom, actor="test")


@contextlib.contextmanager
def beside(term: Term, url: str) -> Iterator[None]:
    """Let another program write while the term goes on."""
    over = threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with Database(url) as database:
                program = OtherProgram(term, database)
                for count in itertools.count():
                    with contextlib.suppress(UsageError):  # work of theirs is not graded yet
                        program.write(count)
                    if over.wait(0.1):
                        return
        except BaseException as error:
            failed.append(error)
            raise

    thread = threading.Thread(target=run, name="beside")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert not failed, failed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dialect", "requests"),
    [
        pytest.param("sqlite", REQUESTS, id="sqlite"),
        pytest.param("postgresql", REQUESTS, id="postgresql", marks=pytest.mark.release),
    ],
)
def test_no_request_fails_whatever_came_before(
    request: pytest.FixtureRequest,
    serving: Callable[[Settings], Served],
    tmp_path: Path,
    dialect: str,
    requests: int,
) -> None:
    """People, staff and another program act at random: there is no 5xx without a fault."""
    (tmp_path / "small").mkdir()
    listed = f"id: small\ntitle: Small\ndescription: Three.\nexercises: [{', '.join(EXERCISES)}]\n"
    (tmp_path / "small/track.yaml").write_text(listed)
    for name, definition in zip(EXERCISES, (DOUBLE, TWICE, TWICE), strict=True):
        text = definition.replace("id: double", f"id: {name}", 1)
        (tmp_path / f"small/{name}.yaml").write_text(text)
    (tmp_path / "schedule.yaml").write_text(
        "exercises:\n  double: {due: 2026-01-01T00:00Z, late: 0.9/day}\n"
    )
    url = f"sqlite:///{tmp_path}/etude.db"
    if dialect == "postgresql":
        url = request.getfixturevalue("postgres").make(f"states_{requests}")
    served = serving(Settings(url, (tmp_path,), workers=1, per_minute=0))
    with contextlib.ExitStack() as stack:
        if dialect == "postgresql":
            stack.enter_context(grading_worker(url, tmp_path))
        terms = [Term(served, SEED + number) for number in range(AT_ONCE)]
        stack.enter_context(beside(terms[0], url))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda term: term.go_on(requests // AT_ONCE), terms))
    statuses = sum((each.statuses for each in terms), Counter[int]())
    sys.stderr.write(f"{dict(statuses)}\n")
    assert not any(each.failed for each in terms), [each.failed[:9] for each in terms]
    assert statuses[HTTPStatus.OK] > requests / 4
