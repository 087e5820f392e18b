"""Submitting from an exercise's page, as a learner does it, to a real service."""

import datetime as dt
import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from etude_server.actions import submissions as submission_actions
from etude_server.store import people, schedules, submissions
from etude_server.store.submissions import MAX_QUEUE_POSITION
from grader.course.schedule import Window
from grader.grading.results.verdict import Outcome
from tests.browser.conftest import NewContext
from tests.browser.hosting import hosted
from tests.browser.judging import LOOKS, barriers, overflowing, shoot, without_python
from tests.browser.learner import Bench
from tests.browser.tools import Tools
from tests.server.browser.conftest import Served

pytestmark = pytest.mark.slow

PATH = "attention/attention-weights/"
# A browser writes each answer that is an error to the console, whatever the page makes of it.
REFUSED = r"Failed to load resource: (the server responded with a status of 4|net::ERR_FAILED)"
# Loaded again, Chromium has the font of the mathematics already, and says so some seconds later.
RELOADED = REFUSED + "|was preloaded using link preload but not used"

OpenPage = Callable[..., Bench]


@pytest.fixture
def open_page(new_context: NewContext, served: Served) -> OpenPage:
    """Open an exercise's page; Python has nothing to do with what the service grades."""

    def open_it(
        path: str = PATH, *, expected: str = "", single_sign_on: bool = False, **options: object
    ) -> Bench:
        page = new_context(served.url, expected=expected, **options).new_page()
        without_python(page)
        if single_sign_on:  # as a server marks its pages that has a provider
            page.add_init_script(
                "addEventListener('readystatechange', () => "
                "(document.documentElement.dataset.singleSignOn = ''), {capture: true, once: true})"
            )
        page.goto(path)
        return Bench(page)

    return open_it


def _submit(bench: Bench, code: str) -> None:
    bench.write(code)
    bench.button("Submit for grading").click()


def _sign_in(bench: Bench, token: str) -> None:
    dialog = bench.page.get_by_role("dialog", name="Sign in to submit")
    dialog.get_by_label("Token").fill(token)
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).not_to_be_attached()


def _concludes(bench: Bench, text: str | re.Pattern[str]) -> None:
    expect(bench.summary).to_contain_text(text)


def _account(bench: Bench) -> Locator:
    return bench.page.locator(".account")


def _arrive(bench: Bench, token: str) -> None:
    """Sign in before anything is submitted."""
    _account(bench).get_by_role("button", name="Sign in").click()
    _sign_in(bench, token)


def test_a_solution_is_graded_certified_and_known_after_a_reload(
    served: Served, open_page: OpenPage
) -> None:
    """Signing in is asked for once; the verdict is certified here, in the marks and in progress."""
    bench = open_page(expected=REFUSED)
    page, exercise = bench.page, served.exercise()
    _submit(bench, exercise.solution)
    _sign_in(bench, served.token("ada"))
    hidden = sum(test.hidden for test in exercise.tests)
    _concludes(
        bench, f"Passed: {exercise.max_points}/{exercise.max_points} points, {hidden} hidden"
    )
    expect(bench.results).to_contain_text("Certified")
    expect(_account(bench)).to_contain_text(f"Certified: {exercise.max_points}")
    expect(bench.results).to_contain_text("Your code beside the solution")
    expect(bench.results).to_contain_text("Why it is right")

    page.reload()
    page.get_by_text("Solution", exact=True).click()
    bench.button("Show the solution").click()
    expect(page.locator("details.solution")).to_contain_text("Why it is right")
    expect(_account(bench)).to_contain_text("Signed in as ada")
    expect(_account(bench)).to_contain_text(f"{exercise.xp} XP")
    mark = page.locator(f'.sidebar [data-state-of="{exercise.id}"]').first
    expect(mark).to_have_attribute("data-certified", "")
    expect(mark).to_contain_text("passed, certified")
    _submit(bench, exercise.solution + "# again\n")  # with the CSRF token of before
    _concludes(bench, "Passed")

    page.goto("progress/")
    expect(page.locator(".certified-said")).to_have_text(
        f"Certified by the service for ada: 1 exercise, {exercise.xp} XP."
    )


def test_comments_and_single_sign_on_are_shown(
    served: Served, open_page: OpenPage, tools: Tools
) -> None:
    """A comment on a line quotes the line; the dialog links to the provider where there is one."""
    source = "import numpy as np\n\nattention_weights = np.exp\n"
    with served.database.write() as connection:
        owner = people.add_person(connection, "bea", "student", actor="test")
        sent = submissions.accept_submission(
            connection, owner, "attention-weights", source, key="commented"
        )
        submission_actions.add_comment(
            connection, sent.submission, "Which <b>axis</b>?", 3, actor=owner.id
        )
        submission_actions.add_comment(
            connection, sent.submission, "Almost there.", None, actor=owner.id
        )
    bench = open_page(expected=REFUSED, single_sign_on=True)
    _account(bench).get_by_role("button", name="Sign in").click()
    link = bench.page.get_by_role("dialog").get_by_role("link", name="account of the university")
    expect(link).to_have_attribute("href", f"/oidc/login?back=%2F{PATH.replace('/', '%2F')}")
    _sign_in(bench, served.token("bea"))
    comments = bench.page.get_by_role("region", name="Comments from your course")
    expect(comments.get_by_role("listitem")).to_have_count(2)
    first = comments.get_by_role("listitem").first
    expect(first).to_contain_text("Line 3: attention_weights = np.exp")
    expect(first).to_contain_text("Which <b>axis</b>?")
    for size, theme in LOOKS:
        bench.page.set_viewport_size(size)
        bench.page.emulate_media(color_scheme=theme)
        shoot(bench.page, "comments")
        assert barriers(bench.page, tools) == ""
        assert overflowing(bench.page) == []


def test_times_are_those_of_the_reader(served: Served, open_page: OpenPage) -> None:
    """When it is due, and when it opens; Tokyo is nine hours ahead of what the service says."""
    due = dt.datetime(2040, 3, 1, 20, tzinfo=dt.UTC).timestamp()
    for window, told in (
        (Window(due=due), "Due 2 Mar 2040, 05:00:00 GMT+9"),
        (Window(opens=due), "This exercise opens at 2 Mar 2040, 05:00:00 GMT+9."),
    ):
        with served.database.write() as connection:
            schedules.store_schedule(connection, {"attention-weights": window}, actor="test")
        bench = open_page(expected=REFUSED, timezone_id="Asia/Tokyo")
        _arrive(bench, served.token("tokyo"))
        if window.opens:
            _submit(bench, "x = 1\n")
            _concludes(bench, told)
        else:
            expect(_account(bench)).to_contain_text(told)
    with served.database.write() as connection:
        schedules.store_schedule(connection, {}, actor="test")


def test_another_browser_shows_what_is_certified(served: Served, open_page: OpenPage) -> None:
    """What this browser has never seen is passed all the same, since the service says so."""
    first = open_page(expected=REFUSED)
    _arrive(first, served.token("grace"))
    _submit(first, served.exercise().solution)
    _concludes(first, "Passed")
    second = open_page(expected=REFUSED)
    _arrive(second, served.token("grace"))
    mark = second.page.locator('.sidebar [data-state-of="attention-weights"]').first
    expect(mark).to_have_attribute("data-state", "passed")


def test_a_wrong_answer_is_explained_by_the_page_itself(
    served: Served, open_page: OpenPage
) -> None:
    """The diagnosis and the tests as after a check; a hidden one by its name alone."""
    bench = open_page(expected=REFUSED)
    exercise = served.exercise()
    _arrive(bench, served.token("eve"))
    _submit(bench, exercise.misconceptions[0].code)
    _concludes(bench, "Not passed yet")
    expect(bench.results.get_by_role("heading", name="What is behind this")).to_be_visible()
    hidden = [test for test in exercise.tests if test.hidden]
    for test in hidden:
        expect(bench.results.get_by_text(f"{test.id} (hidden)")).to_be_visible()
        if test.description:
            expect(bench.results).not_to_contain_text(test.description)
    expect(_account(bench)).to_contain_text("Best of what you submitted")


def test_predictions_are_submitted_too(served: Served, open_page: OpenPage) -> None:
    """A page that cannot judge them itself shows what the service says; an open answer is not sent."""
    bench = open_page("attention/score-spread/", expected=REFUSED)
    _arrive(bench, served.token("ada"))
    bench.button("Submit for grading").click()
    expect(
        bench.page.get_by_role("region", name="Your answers").locator("[aria-invalid]").first
    ).to_be_focused()
    for name in served.exercise("score-spread").defines:
        named = re.compile(rf"^{name}\b")  # its question follows
        group = bench.page.get_by_role("group", name=named)
        if group.count():
            group.get_by_role("radio").first.check()
        else:
            bench.page.get_by_role("textbox", name=named).fill("1")
    bench.button("Submit for grading").click()
    _concludes(bench, re.compile("Not passed yet|Passed"))
    expect(bench.results).to_contain_text("Graded by the service")


def _crowd(bench: Bench, exercise: str, mark: str) -> None:
    """Put some into the queue that take their time."""
    ahead = f"""async () => {{
      const {{ csrf }} = await (await fetch("/v1/session")).json();
      const headers = {{ "X-CSRF-Token": csrf, "Content-Type": "application/json" }};
      for (let number = 0; number < 10; number += 1) {{
        const source = `import time\\ntime.sleep(0.8)  # {mark} ${{number}}\\n`;
        const body = JSON.stringify({{ exercise: "{exercise}", source }});
        await fetch("/v1/submissions", {{ method: "POST", headers, body }});
      }}
    }}"""
    bench.page.evaluate(ahead)


def test_a_very_long_queue_is_not_counted_to_its_end(served: Served, open_page: OpenPage) -> None:
    """As far as the service counts, a learner sees that it may be more."""
    bench = open_page(expected=REFUSED)
    _arrive(bench, served.token("the last one"))

    def put_far_behind(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"position": MAX_QUEUE_POSITION})

    bench.page.route("**/v1/submissions", put_far_behind)
    bench.page.route("**/v1/submissions/*/events", lambda _: None)  # no word of how it goes on
    _submit(bench, served.exercise().solution + "# far behind\n")
    _concludes(bench, f"In the queue, behind {MAX_QUEUE_POSITION} others or more.")


def test_a_submission_is_followed_after_a_reload(served: Served, open_page: OpenPage) -> None:
    """Its place in the line, then its verdict, without another click or another submission."""
    bench = open_page(expected=RELOADED)
    page, sent = bench.page, list[str]()
    _arrive(bench, served.token("reloader"))
    _crowd(bench, served.exercise().id, "reload")
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    _submit(bench, served.exercise().solution + "# reload\n")
    _concludes(bench, re.compile(r"In the queue, behind \d+ other"))
    page.reload()
    expect(bench.button("Submit for grading")).to_have_attribute("aria-disabled", "true")
    _concludes(bench, re.compile("queue"))
    _concludes(bench, "Passed")
    expect(bench.results).to_contain_text("Certified")
    expect(bench.results.locator(".stale")).to_be_hidden()
    assert len([each for each in sent if each == f"POST {served.url}v1/submissions"]) == 1
    page.reload()
    expect(_account(bench)).to_contain_text("Signed in as reloader")
    expect(bench.results).not_to_contain_text("Passed")


def test_what_another_person_handed_in_here_is_not_followed(
    served: Served, open_page: OpenPage
) -> None:
    """In a browser that several people use, each sees their own alone; it waits for its owner."""
    bench = open_page(expected=RELOADED)
    page = bench.page
    _arrive(bench, served.token("first user"))
    _crowd(bench, served.exercise().id, "users")
    _submit(bench, served.exercise().solution + "# users\n")
    _concludes(bench, "queue")
    page.reload()
    _account(bench).get_by_role("button", name="Sign out").click()
    expect(_account(bench)).to_contain_text("Not signed in")
    page.reload()
    _arrive(bench, served.token("second user"))
    expect(bench.button("Submit for grading")).not_to_have_attribute("aria-disabled", "true")
    _account(bench).get_by_role("button", name="Sign out").click()
    _arrive(bench, served.token("first user"))
    _concludes(bench, "Passed")


def test_without_events_the_page_asks(served: Served, open_page: OpenPage) -> None:
    """Where a proxy breaks event streams, the verdict still comes."""
    bench = open_page(expected=REFUSED)
    bench.page.route("**/events", lambda route: route.abort())
    _arrive(bench, served.token("ada"))
    _submit(bench, served.exercise().solution + "# polled\n")
    _concludes(bench, "Passed")


def test_signed_out_nothing_is_asked_of_the_service(served: Served, open_page: OpenPage) -> None:
    """A visitor's page makes no request for who they are; after signing out neither."""
    asked: list[str] = []
    bench = open_page(expected=REFUSED)
    bench.page.on("request", lambda request: asked.append(request.url))
    bench.page.reload(wait_until="networkidle")
    expect(_account(bench)).to_contain_text("Not signed in")
    assert not [url for url in asked if "/v1/" in url]
    _arrive(bench, served.token("ada"))
    _account(bench).get_by_role("button", name="Sign out").click()
    expect(_account(bench)).to_contain_text("Not signed in")
    bench.page.reload(wait_until="networkidle")
    expect(_account(bench)).to_contain_text("Not signed in")


def test_a_wrong_token_is_told_where_it_stands(served: Served, open_page: OpenPage) -> None:
    """The box stays open, and what was written stays."""
    bench = open_page(expected=REFUSED)
    _submit(bench, "x = 1\n")
    dialog = bench.page.get_by_role("dialog", name="Sign in to submit")
    dialog.get_by_label("Token").fill("etude_wrong")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog.get_by_role("alert")).to_have_text("This token is unknown, expired or revoked.")
    dialog.get_by_role("button", name="Cancel").click()
    expect(bench.editor).to_contain_text("x = 1")
    assert served.url in bench.page.url


def _refusal(status: HTTPStatus | None) -> Callable[[Route], None]:
    def refuse(route: Route) -> None:
        if status is None:
            route.abort()
        else:
            route.fulfill(status=status, headers={"Retry-After": "2"}, body="{}")

    return refuse


def test_each_refusal_is_one_sentence_and_the_code_stays(
    served: Served, open_page: OpenPage
) -> None:
    """What was typed is still there, and can be submitted again once the service takes it."""
    bench = open_page(expected=REFUSED)
    _arrive(bench, served.token("refused"))
    for status, sentence in (
        (HTTPStatus.UNAUTHORIZED, "You are not signed in, or no longer"),
        (HTTPStatus.FORBIDDEN, "load the page again"),
        (HTTPStatus.CONFLICT, "submit it once more"),
        (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "longer than what the service takes"),
        (HTTPStatus.UNPROCESSABLE_ENTITY, "cannot read this"),
        (HTTPStatus.TOO_MANY_REQUESTS, "takes no more submissions for a moment"),
        (None, "The service cannot be reached"),
    ):
        bench.page.route("**/v1/submissions", _refusal(status))
        _submit(bench, served.exercise().solution + f"# {status}\n")
        _concludes(bench, sentence)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            expect(bench.page.get_by_role("button", name="Submit again in")).to_be_disabled()
        bench.page.unroute("**/v1/submissions")
        expect(bench.editor).to_contain_text(f"# {status}")
        bench.button("Submit for grading").click()
        _concludes(bench, "Passed")


def test_the_same_request_again_is_one_submission(served: Served, open_page: OpenPage) -> None:
    """An answer that got lost on the way does not make two submissions of one."""
    bench = open_page(expected=REFUSED)
    _arrive(bench, served.token("twice"))
    keys: list[str] = []

    def lose(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        route.fetch()
        route.abort()

    bench.page.route("**/v1/submissions", lose)
    _submit(bench, served.exercise().solution + "# twice\n")
    _concludes(bench, "cannot be reached")
    bench.page.unroute("**/v1/submissions")
    with bench.page.expect_request("**/v1/submissions") as sent:
        bench.button("Submit for grading").click()
    assert [sent.value.headers["idempotency-key"]] == keys
    _concludes(bench, "Passed")


def test_what_is_kept_for_offline_holds_nothing_personal(
    served: Served, open_page: OpenPage
) -> None:
    """The worker that keeps pages leaves the answers of the service alone."""
    bench = open_page(expected=REFUSED, service_workers="allow")
    bench.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    bench.page.reload()
    _arrive(bench, served.token("ada"))
    _submit(bench, served.exercise().solution + "# kept\n")
    _concludes(bench, "Passed")
    kept = bench.page.evaluate("""async () => {
      const caches = await Promise.all((await self.caches.keys()).map((name) => self.caches.open(name)));
      return (await Promise.all(caches.map((each) => each.keys()))).flat().map(({ url }) => url);
    }""")
    assert [url for url in kept if url.endswith("index.html")]
    assert not [url for url in kept if "/v1/" in url]


def test_on_a_static_host_nothing_of_it_is_there(
    new_context: NewContext, certified_site: Path
) -> None:
    """No button, no line, no request, and nothing on the console."""
    asked: list[str] = []
    with hosted(certified_site) as address:
        page: Page = new_context(address).new_page()
        without_python(page)
        page.on("request", lambda request: asked.append(request.url))
        for path in (PATH, "attention/score-spread/", "progress/"):
            page.goto(path, wait_until="networkidle")
            expect(page.get_by_role("button", name="Submit for grading")).to_have_count(0)
            expect(page.locator(".account, .certified")).to_have_count(0)
        assert not [url for url in asked if "/v1/" in url]


def test_every_state_is_for_everybody(served: Served, open_page: OpenPage, tools: Tools) -> None:
    """Signed out, signing in, refused, failed and passed: axe finds nothing, and nothing overflows."""
    bench = open_page(expected=REFUSED, reduced_motion="reduce")
    page = bench.page
    _look(page, tools, "submit-signed-out")
    _account(bench).get_by_role("button", name="Sign in").click()
    _look(page, tools, "submit-sign-in")
    _sign_in(bench, served.token("looked at"))
    _submit(bench, served.exercise().misconceptions[0].code)
    _concludes(bench, "Not passed yet")
    _look(page, tools, "submit-failed")
    _submit(bench, served.exercise().solution)
    _concludes(bench, Outcome.PASSED.value.capitalize())
    expect(_account(bench)).to_contain_text("Certified")
    _look(page, tools, "submit-passed")
    page.goto("progress/")
    expect(page.locator(".certified-said")).to_be_visible()
    _look(page, tools, "submit-progress")


def _look(page: Page, tools: Tools, name: str) -> None:
    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        assert barriers(page, tools) == "", name
        assert overflowing(page) == [], name
        shoot(page, name)


def test_python_in_a_page_is_nobody_to_the_server(served: Served, new_context: NewContext) -> None:
    """An instructor who is signed in tries a student's file: it cannot speak in her name."""
    page = new_context(served.url, expected=".").new_page()
    page.goto(PATH)
    bench = Bench(page)
    _arrive(bench, served.token("prof", "instructor"))
    bench.write("print('here')")
    bench.button("Run").click()
    _concludes(bench, "Your code ran.")
    (worker,) = page.workers
    addresses = [f"{served.url}v1/{name}" for name in ("session", "gradebook", "people")]
    assert page.evaluate(_READ, addresses) == addresses
    assert worker.evaluate(_READ, addresses) == []


_READ = """
async (addresses) => {
  const read = [];
  for (const address of addresses) {
    const options = {credentials: "include", mode: "cors"};
    await fetch(address, options).then((answer) => answer.ok && read.push(address), () => {});
    await import(address, {with: {type: "json"}}).then(() => read.push(address), () => {});
  }
  return read;
}
"""
