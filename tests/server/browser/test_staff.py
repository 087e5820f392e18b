"""The pages for instructors, in a real browser; what others wrote is text there and nothing else."""

import dataclasses
import time
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from etude_server.actions import people as people_actions
from etude_server.store import people, submissions, verdicts
from etude_server.store.ids import now
from etude_server.store.submissions import StoredSubmission
from etude_server.store.verdicts import GradingRun
from grader.grading.results.verdict_json import verdict_from_data
from tests.browser.conftest import NewContext
from tests.browser.judging import LOOKS, barriers, overflowing, shoot
from tests.browser.tools import Tools
from tests.server.browser.conftest import HOSTILE_NAME, HOSTILE_SOURCE, Served

pytestmark = pytest.mark.slow

EXERCISE = "attention-weights"

Visit = Callable[..., Page]


@pytest.fixture
def visit(new_context: NewContext, served: Served) -> Visit:
    """Let an instructor sign in by the form, without any JavaScript."""

    def sign_in(path: str = "staff/", **options: object) -> Page:
        page = new_context(served.url, **{"java_script_enabled": False, **options}).new_page()
        page.goto(path)
        page.get_by_label("Token").fill(served.token("prof", "instructor"))
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_label("Token")).to_have_count(
            0
        )  # else a next address would cut it short
        return page

    return sign_in


def _client(served: Served, name: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {served.token(name)}"}
    return httpx.Client(base_url=served.url, headers=headers)


def _graded(served: Served, name: str, source: str) -> StoredSubmission:
    """Submit something and wait for its verdict."""
    with _client(served, name) as client:
        body = {"exercise": EXERCISE, "source": source}
        answer = client.post("/v1/submissions", json=body).raise_for_status()
        location = answer.headers["Location"]
        for _ in range(600):
            if client.get(location).raise_for_status().json()["state"] == "graded":
                break
            time.sleep(0.05)
    with served.database.read() as connection:
        found = submissions.find_submission(connection, answer.json()["id"])
    assert found is not None
    return found


def test_what_learners_wrote_is_inert(served: Served, new_context: NewContext) -> None:
    """A hostile name and source are shown as they are, and nothing of them runs or loads."""
    submitted = _graded(served, HOSTILE_NAME, HOSTILE_SOURCE)
    page = new_context(served.url).new_page()
    page.goto(f"staff/submissions/{submitted.id}")
    page.get_by_label("Token").fill(served.token("prof", "instructor"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"A submission of {HOSTILE_NAME}")
    expect(page.locator("pre.source")).to_contain_text("# </pre><script>alert(1)</script>")
    assert "\u202e" not in page.locator("pre.source").inner_text()
    assert page.locator("script, img").count() == 0
    page.get_by_role("link", name=HOSTILE_NAME).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE_NAME)
    assert page.locator("script, img").count() == 0
    answer = httpx.get(f"{served.url}sign-in")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "no-store" in answer.headers["cache-control"]


def test_numbers_and_who_is_stuck(served: Served, visit: Visit) -> None:
    """Exercises with what is hard about them, and from there to anyone who needs help."""
    wrong = served.exercise().misconceptions[0]
    for number in range(3):
        _graded(served, "stuck", f"{wrong.code}\n# {number}\n")
    page = visit()
    row = page.get_by_role("row").filter(has_text=served.exercise().title)
    expect(row).to_contain_text(wrong.id)
    stuck = page.get_by_role("region", name="Stuck students").get_by_role("row")
    expect(stuck.filter(has_text="stuck")).to_contain_text("3 failed submissions")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(served.exercise().title)
    expect(page.locator("main")).to_contain_text("Discrimination")
    stuck = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="stuck"))
    stuck.get_by_role("link", name="3 failed submissions").click()
    expect(page.locator("pre.source")).to_contain_text("# 2")
    expect(page.locator(".history")).to_contain_text("submission accepted by stuck")
    expect(page.locator(".history")).to_contain_text("verdict published by grader: failed")


def test_a_parked_submission_is_released(visit: Visit) -> None:
    """It says why it was parked; a form without JavaScript lets it go on, and it is graded."""
    page = visit("staff/submissions?state=parked")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("row").nth(1).get_by_role("link").first.click()
    expect(page.locator(".history")).to_contain_text("the disk was full")
    page.get_by_role("button", name="Release it").click()
    expect(page.locator(".history")).to_contain_text("submission released by prof")
    for _ in range(100):
        if page.get_by_role("heading", name="Verdict").count():
            break
        page.wait_for_timeout(100)
        page.reload()
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()


def test_a_regrade_is_previewed_then_done(served: Served, visit: Visit) -> None:
    """What would change is shown before; with a reason it is done, and listed."""
    passed = _graded(served, "older", served.exercise().solution + "# older\n")
    _grade_by_an_older_version(served, passed)
    page = visit("staff/regrades")
    page.get_by_role("button", name="Preview a regrade").first.click()
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text("raised")
    page.get_by_label("Reason").fill("<b>A test was wrong</b>")
    page.get_by_role("button", name="Grade again").click()
    for _ in range(100):
        if page.get_by_text("finished", exact=True).count():
            break
        page.wait_for_timeout(100)
        page.reload()
    expect(page.locator("main")).to_contain_text("<b>A test was wrong</b>")
    expect(changes).to_contain_text("older")
    with served.database.read() as connection:
        kept = verdicts.find_published_verdict(connection, passed.id)
    assert kept is not None
    assert kept.passed


def _grade_by_an_older_version(served: Served, passed: StoredSubmission) -> None:
    """Publish a verdict of a version of the exercise that failed what is right."""
    wrong = _graded(served, "older", served.exercise().misconceptions[0].code)
    with served.database.write() as connection:
        told = verdicts.find_published_verdict(connection, wrong.id)
        assert told is not None
        older = dataclasses.replace(
            verdict_from_data(dict(told.body)),
            exercise_hash="0" * 64,
            submission_hash=passed.source_hash,
        )
        kept = verdicts.store_verdict(connection, older, GradingRun("test", now(), now()))
        verdicts.publish_verdict(connection, passed, kept)


def test_signing_out(visit: Visit) -> None:
    """Afterwards the pages ask for a token again; a wrong one is told where it stands."""
    page = visit(expected="status of 401")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("staff/submissions")
    page.get_by_label("Token").fill("etude_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("This token is unknown, expired or revoked.")


def _invite(served: Served) -> str:
    with served.database.write() as connection:
        whom = people.require_person_by_name(connection, "looked at")
        return f"invite?key={people_actions.make_invite(connection, whom, 1, actor='test')}"


def test_every_page_is_for_everybody(served: Served, visit: Visit, tools: Tools) -> None:
    """Axe finds nothing, and nothing overflows; pictures are kept to be looked at."""
    submitted = _graded(served, HOSTILE_NAME, HOSTILE_SOURCE)
    failed = _graded(served, "looked at", served.exercise().misconceptions[0].code)
    page = visit(java_script_enabled=True, bypass_csp=True)  # axe is a script
    paths = {
        "overview": "staff/",
        "exercise": f"staff/exercises/{EXERCISE}",
        "submissions": "staff/submissions",
        "person": "staff/submissions?person=looked+at",
        "submission": f"staff/submissions/{submitted.id}",
        "failed": f"staff/submissions/{failed.id}",
        "gradebook": "staff/gradebook",
        "schedule": "staff/schedule",
        "regrades": "staff/regrades",
        "unsent": "staff/unsent",
        "people": "staff/people",
        "invite": _invite(served),
        "sign-in": "sign-in",
    }
    for name, path in paths.items():
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        for size, theme in LOOKS:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=theme)
            assert barriers(page, tools) == "", name
            assert overflowing(page) == [], name
            shoot(page, f"staff-{name}")
