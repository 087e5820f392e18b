"""A term of 200 people, played through in a browser by a teacher and by students."""

import csv
import datetime as dt
import io
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from etude_server.catalog import Catalog
from etude_server.store import people
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from tests.browser.conftest import NewContext
from tests.browser.hosting import BASE
from tests.browser.judging import LOOKS, overflowing, shoot, without_python
from tests.browser.learner import Bench
from tests.browser.tools import Tools, build_site, write_lessons
from tests.server.browser.conftest import serving

pytestmark = pytest.mark.slow

PEOPLE = 200
LOOKUP, PROJECTIONS, SCORES = "token-lookup", "qkv-projections", "similarity-scores"
NOW = dt.datetime.now(dt.UTC).replace(microsecond=0)
RIGHT_LINE, WRONG_LINE = "expect: [[3.0, 3.0, 0.0]", "expect: [[3.0, 3.0, 7.0]"


@dataclass
class Term:
    """The course, its server, and the browsers of the people in it."""

    url: str
    folder: Path
    database: Database
    catalog: Catalog
    server: subprocess.Popen[bytes]
    new_context: NewContext

    def etude(self, *words: str) -> str:
        """Run a command as the documentation says."""
        address = f"sqlite:///{self.folder}/etude.db"
        command = [sys.executable, "-m", "grader.cli", *words, "--database", address]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def schedule(self, dues: dict[str, dt.datetime]) -> None:
        """Write the due dates, and have the server read them."""
        lines = [f"  {name}: {{due: {due.isoformat()}}}" for name, due in dues.items()]
        text = "\n".join(["all: {late: 0.9/day}", "exercises:", *lines, ""])
        (self.folder / "course" / "schedule.yaml").write_text(text)
        assert "is changed" in self.etude(
            "staff", "schedule", "--exercises", str(self.folder / "course")
        )

    def student(self, number: int) -> httpx.Client:
        """Return a student's program, with a token of their own."""
        with self.database.write() as connection:
            whom = people.require_person_by_name(connection, name_of(number))
            token = people.make_token(connection, whom, "test", actor="test")
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {token}"})

    def submit(self, client: httpx.Client, exercise: str, source: str) -> str:
        """Submit by a program; return the address of the submission."""
        sent = {"exercise": exercise, "source": source}
        answer = client.post("/v1/submissions", json=sent).raise_for_status()
        return str(answer.headers["Location"])

    def points(self, exercise: str) -> int:
        """Return the most points of an exercise."""
        return self.catalog.exercises[exercise].max_points


def name_of(number: int) -> str:
    """Return the id of a person of the roster."""
    return f"s{number:04}"


@pytest.fixture
def term(tools: Tools, new_context: NewContext, tmp_path: Path) -> Iterator[Term]:
    """A served course of which one exercise has a wrong expected value; no one is in it but a teacher."""
    course = write_lessons(tmp_path / "course")
    site = build_site(tmp_path / "site", tools, BASE, "--exercises", course, "--certified")
    catalog = Catalog.load(course)
    [path] = course.glob(f"attention/*-{SCORES}.yaml")
    path.write_text(path.read_text("utf-8").replace(RIGHT_LINE, WRONG_LINE), "utf-8")
    with Database(f"sqlite:///{tmp_path}/etude.db") as database:
        upgrade_store(database)
        options = ("--exercises", course, "--per-minute", 0)
        with serving(tmp_path, site, *options) as (url, server):
            yield Term(url, tmp_path, database, catalog, server, new_context)


@pytest.mark.release
def test_a_term(term: Term) -> None:
    """The course of a term, from the roster to the files for other systems."""
    full = {name: term.points(name) for name in (LOOKUP, PROJECTIONS, SCORES)}
    late = round(full[PROJECTIONS] * 0.9**2, 2)
    teacher = _teacher(term)
    _import_the_class(teacher)
    term.schedule(
        {
            LOOKUP: NOW + dt.timedelta(days=30),
            PROJECTIONS: NOW - dt.timedelta(hours=30),
            SCORES: NOW + dt.timedelta(days=30),
        }
    )
    _a_student_submits_from_the_page(term, _invite(teacher, 1))
    _the_class_submits(term)

    assert _cell(teacher, 2, "Project").startswith(f"{late:g}")
    expect(_row(teacher, 2)).to_contain_text("2 days late")
    _extend(teacher, 3)
    assert _cell(teacher, 3, "Project") == f"{full[PROJECTIONS]}"
    _excuse_without_a_submission(teacher, 101)
    assert _cell(teacher, 101, "Project").startswith("excused")

    lower = _cell(teacher, 2, "Compare")
    assert lower == f"{full[SCORES] - 1}"
    _fix_the_exercise(term, teacher)
    _regrade(teacher)
    assert _cell(teacher, 2, "Compare") == f"{full[SCORES]}"
    teacher.go_back()
    undone = _undo(teacher)
    assert _cell(teacher, 2, "Compare") == lower

    _look_at_pages(teacher, undone)
    moodle = {row["username"]: row for row in _rows(_download(teacher, "Download for Moodle"))}
    assert moodle[name_of(2)][PROJECTIONS] == f"{late:.10g}"
    assert moodle[name_of(3)][PROJECTIONS] == str(full[PROJECTIONS])
    assert moodle[name_of(1)][LOOKUP] == str(full[LOOKUP])
    table = {row["student"]: row for row in _rows(_download(teacher, "Download CSV"))}
    assert len(table) == PEOPLE
    assert table[name_of(2)]["name"] == "Student No. 2"
    canvas = {row["SIS Login ID"]: row for row in _rows(_fill_canvas(teacher, full[PROJECTIONS]))}
    column = "Projections (77)"
    assert canvas[name_of(2)][column] == f"{late:g}"
    assert canvas[name_of(101)][column] == "EX"
    assert canvas[name_of(100)][column] in {"", "0"}  # nothing was submitted


def _teacher(term: Term) -> Page:
    """Sign a teacher in on the staff pages, without JavaScript."""
    term.etude("staff", "add", "prof", "--role", "instructor")
    token = term.etude("staff", "token", "prof").split()[0]
    page = term.new_context(term.url, accept_downloads=True).new_page()
    page.goto("staff/people")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("People")
    return page


def _import_the_class(page: Page) -> None:
    lines = ["id,name,email,role,section", "prof,Tea Cher,prof@example.org,instructor,"]
    for number in range(1, PEOPLE + 1):
        name = name_of(number)
        lines.append(f"{name},Student No. {number},{name}@example.org,,{'AB'[number % 2]}")
    page.get_by_label("Lines of a CSV").fill("\n".join(lines))
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status")).to_contain_text(f"{PEOPLE} added, 1 changed")
    expect(page.get_by_role("row")).to_have_count(1 + PEOPLE + 1)
    expect(page.get_by_role("row").filter(has_text=name_of(7))).to_contain_text("Student No. 7")


def _invite(page: Page, number: int) -> str:
    page.get_by_role("button", name=f"Invite Student No. {number}", exact=True).click()
    return page.locator("pre").inner_text()


def _a_student_submits_from_the_page(term: Term, link: str) -> None:
    """An invite signs a student of another time zone in, who submits from an exercise's page."""
    page = term.new_context(term.url, timezone_id="Asia/Tokyo", expected="preload").new_page()
    without_python(page)
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, Student No. 1")
    page.get_by_role("link", name="To the exercises").click()
    page.goto(f"attention/{LOOKUP}/")
    there = NOW.astimezone(dt.timezone(dt.timedelta(hours=9))) + dt.timedelta(days=30)
    due = f"{there.day} {there:%b %Y, %H:%M:%S} GMT+9"
    expect(page.locator(".account")).to_contain_text(f"Due {due}")
    bench = Bench(page)
    bench.write(term.catalog.exercises[LOOKUP].solution)
    bench.button("Submit for grading").click()
    expect(bench.summary).to_contain_text("Passed")


def _the_class_submits(term: Term) -> None:
    """Sixty in time, twenty of what has the wrong value, and ten too late."""
    last: list[tuple[int, str]] = []
    for number in range(2, 62):
        with term.student(number) as client:
            for exercise, until in ((LOOKUP, 62), (SCORES, 22), (PROJECTIONS, 12)):
                if number < until:
                    source = f"{term.catalog.exercises[exercise].solution}# {number % 7}\n"
                    last.append((number, term.submit(client, exercise, source)))
    for number, place in last[-1:] + last[:30]:
        with term.student(number) as client:
            while client.get(place).raise_for_status().json()["state"] != "graded":
                time.sleep(0.1)


def _row(page: Page, number: int) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("cell", name=name_of(number)))


def _find(page: Page, number: int, title: str) -> Locator:
    """Return the cell of a student in the gradebook, in the exercise whose title begins so."""
    if not page.url.endswith("/staff/gradebook"):
        page.get_by_role("link", name="Gradebook", exact=True).click()
    else:
        page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gradebook")
    titles = page.get_by_role("columnheader").all_inner_texts()
    [at] = [at for at, each in enumerate(titles) if each.startswith(title)]
    return _row(page, number).locator("th, td").nth(at)


def _cell(page: Page, number: int, title: str) -> str:
    return _find(page, number, title).inner_text()


def _extend(page: Page, number: int) -> None:
    _find(page, number, "Project").get_by_role("link").click()
    page.get_by_label("A due date of their own").fill("2090-01-31 18:00 Europe/Zurich")
    page.get_by_role("button", name="Extend").click()
    expect(page.locator("main")).to_contain_text("Due 2090-01-31 17:00 UTC")
    page.get_by_role("link", name="Schedule").click()
    extensions = page.get_by_role("region", name="Extensions")
    expect(extensions).to_contain_text(f"Student No. {number}")


def _excuse_without_a_submission(page: Page, number: int) -> None:
    _row(page, number).get_by_role("link").first.click()
    page.get_by_label("Exercise").first.select_option(PROJECTIONS)
    page.get_by_label("Excused from this exercise").check()
    page.get_by_label("Reason, which the student reads").fill("ill")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("region", name="Grades")).to_contain_text("excused by Tea Cher: ill")


def _fix_the_exercise(term: Term, page: Page) -> None:
    [path] = (term.folder / "course").glob(f"attention/*-{SCORES}.yaml")
    path.write_text(path.read_text("utf-8").replace(WRONG_LINE, RIGHT_LINE), "utf-8")
    term.server.send_signal(signal.SIGHUP)
    page.get_by_role("link", name="Regrades").click()
    while not page.get_by_role("button", name="Preview a regrade").count():
        page.wait_for_timeout(100)
        page.reload()


def _regrade(page: Page) -> None:
    page.get_by_role("button", name="Preview a regrade").click()
    expect(page.get_by_role("region", name="Changes")).to_contain_text("raised")
    page.get_by_label("Reason").fill("a value was mistyped")
    page.get_by_role("button", name="Grade again").click()
    _finishes(page)


def _undo(page: Page) -> str:
    """Undo the regrade of the page, and return the address of the undo."""
    page.get_by_label("Reason").fill("the lecture said so")
    page.get_by_role("button", name="Undo this regrade").click()
    _finishes(page)
    return page.url


def _finishes(page: Page) -> None:
    while not page.get_by_text("finished", exact=True).count():
        page.wait_for_timeout(100)
        page.reload()


def _download(page: Page, name: str) -> str:
    page.get_by_role("link", name="Gradebook", exact=True).click()
    with page.expect_download() as found:
        page.get_by_role("link", name=name).click()
    return found.value.path().read_text("utf-8")


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _fill_canvas(page: Page, most: int) -> str:
    """Paste what Canvas exported."""
    lines = ["Student,ID,SIS Login ID,Section,Projections (77)", f"Points Possible,,,,{most}"]
    lines += [
        f'"No. {number}, Student",{number},{name_of(number)},A,' for number in range(1, PEOPLE + 1)
    ]
    page.get_by_label("Exercise").select_option(PROJECTIONS)
    page.get_by_label("Heading of the assignment's column").fill("Projections")
    page.get_by_label("The file that Canvas exported").fill("\n".join(lines) + "\n")
    with page.expect_download() as found:
        page.get_by_role("button", name="Download the filled file").click()
    return found.value.path().read_text("utf-8")


def _look_at_pages(page: Page, regrade: str) -> None:
    """Keep pictures of the pages that only a term has data for."""
    paths = {name: f"staff/{name}" for name in ("gradebook", "schedule", "people", "regrades")}
    paths |= {"person": "staff/submissions?person=s0004", "regrade": regrade}
    for name, path in paths.items():
        page.goto(path)
        for size, theme in LOOKS:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=theme)
            assert overflowing(page) == [], name
            shoot(page, f"term-{name}")
