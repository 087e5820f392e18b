"""A built site as `etude serve` shows it: what is true of a server, and no way out of it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest

from etude_server.oidc import Provider
from etude_server.settings import Settings
from etude_server.signed_tokens import LOGIN_SECONDS
from etude_server.store.people import SESSION_SECONDS
from sitegen.build import build_site
from sitegen.content import Content
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES

_ONLY_STATIC = (
    "What you write and what you pass stay in this browser.",
    "in this browser and nowhere else",
    "set no cookies",
    "Nothing you write is sent anywhere",
    "kept in this browser only",
    "no one else sees it",
)
_ONLY_SERVED = (
    "stays in this browser until you submit it",
    "Check sends nothing that you write.",
    "your code goes to the server of your course",
    "On the server of your course: your name",
    "Cookies: one while you are signed in",
    "the staff of your course sees it",
)


class _Shown(HTMLParser):
    """The text of a page as any browser shows it, without styles or scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.links: list[str] = []
        self.feed(page)
        self.text = " ".join(self.text.split())

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, _tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attributes if name == "href"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site without tracks: its texts are in the pages that every site has."""
    folder = tmp_path_factory.mktemp("site") / "built"
    build_site(Content(()), folder)
    return folder


@pytest.fixture(scope="module")
def served(
    serving: Callable[[Settings], Served], built: Path, tmp_path_factory: pytest.TempPathFactory
) -> Served:
    """A server with that site."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/etude.db"
    settings = Settings(url, (EXERCISES,), site=built, workers=1, per_minute=10_000)
    return serving(replace(settings, solution=lambda exercise: {"source": exercise.solution}))


def _pages(folder: Path) -> Mapping[str, str]:
    """Return each page of a built site, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*.html")
    }


def test_a_static_host_s_pages_speak_of_no_server(built: Path) -> None:
    """What the templates say is true there, and all of it is shown."""
    shown = {path: _Shown(page).text for path, page in _pages(built).items()}
    everything = " ".join(shown.values())
    assert [each for each in _ONLY_STATIC if each not in everything] == []
    assert [each for each in _ONLY_SERVED if each in everything] == []
    assert all(_ONLY_STATIC[0] in text for text in shown.values())


def test_a_server_s_pages_say_what_it_keeps(served: Served, built: Path) -> None:
    """No page says what holds only on a static host, not even the error page."""
    shown = {}
    with httpx.Client(base_url=served.url) as browser:
        for path in (*_pages(built), "no/such/page"):
            answer = browser.get(f"/{path}")
            assert answer.is_success or path == "no/such/page", path
            assert "<!--s" not in answer.text, path
            shown[path] = _Shown(answer.text).text
    everything = " ".join(shown.values())
    assert [each for each in _ONLY_STATIC if each in everything] == []
    assert [each for each in _ONLY_SERVED if each not in everything] == []
    assert all(_ONLY_SERVED[0] in text for text in shown.values())


def test_pages_know_of_single_sign_on(
    serving: Callable[[Settings], Served], served: Served, built: Path, tmp_path: Path
) -> None:
    """Where a provider is set, so that the sign-in can offer it."""
    url, provider = f"sqlite:///{tmp_path}/etude.db", Provider("http://127.0.0.1:1", "id", "secret")
    other = serving(Settings(url, (EXERCISES,), site=built, workers=1, oidc=provider))
    assert " data-single-sign-on " in httpx.get(other.url).text
    assert " data-single-sign-on " not in httpx.get(served.url).text


def test_each_page_of_a_server_leads_to_what_it_keeps(served: Served, built: Path) -> None:
    """The link in its last line is the place of that text, from wherever it stands."""
    with httpx.Client(base_url=served.url) as browser:
        for path in _pages(built):
            answer = browser.get(f"/{path}")
            (link,) = (each for each in _Shown(answer.text).links if each.endswith("#kept"))
            assert 'id="kept"' in browser.get(answer.url.join(link)).text


def test_what_a_server_s_page_says_of_times_is_so(served: Served) -> None:
    """The numbers in the text are those in the program."""
    text = _Shown(httpx.get(f"{served.url}/about/").text).text
    hours, minutes, days = (
        SESSION_SECONDS // 3600,
        LOGIN_SECONDS // 60,
        Settings("", (Path(),)).keep_days,
    )
    assert (hours, "it ends after twelve hours" in text) == (12, True)
    assert (minutes, "for at most ten minutes" in text) == (10, True)
    assert f"deleted after {days} days" in text


def test_what_a_server_s_page_says_of_cookies_is_so(served: Served) -> None:
    """None comes with a page; signing in sets one, which no script can read."""
    with httpx.Client(base_url=served.url) as browser:
        for path in ("/", "/about/", "/progress/"):
            assert "set-cookie" not in browser.get(path).headers
        answer = browser.post("/v1/session", json={"token": served.token("ada")})
        (cookie,) = answer.headers.get_list("set-cookie")
    assert "HttpOnly" in cookie
    assert f"Max-Age={SESSION_SECONDS}" in cookie


_HOSTILE = {
    "Host": "evil.example",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Proto": "https",
    "Forwarded": "host=evil.example;proto=https",
}


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/about", "./about/"),
        ("/about?a=1&b=%0d%0aX:1", "./about/?a=1&b=%0d%0aX:1"),
        ("//about", "./about/"),
        ("//evil.example/..%2fabout", "./about/"),
        ("/staff", "/sign-in?next=%2Fstaff"),
        ("/staff/", "/sign-in?next=%2Fstaff%2F"),
        ("/staff/submissions?person=ada", "/sign-in?next=%2Fstaff%2Fsubmissions%3Fperson%3Dada"),
    ],
)
def test_no_redirect_leads_to_a_host_that_a_request_names(
    served: Served, path: str, leads_to: str
) -> None:
    """Each is a path, whatever host the client or a proxy claims that this is."""
    answer = httpx.get(served.url + path, headers=_HOSTILE)
    assert answer.is_redirect
    assert answer.headers["Location"] == leads_to
    assert answer.url.join(leads_to).host == answer.url.host


def test_no_redirect_of_a_session_names_a_host(served: Served) -> None:
    """Neither sign-in nor sign-out does, nor the redirect for a missing slash."""
    token = served.token("prof", "instructor")
    with httpx.Client(base_url=served.url, headers=_HOSTILE) as browser:
        sent = {"token": token, "next": "/staff/submissions"}
        entered = browser.post("/sign-in", data=sent)
        assert entered.headers["Location"] == "/staff/submissions"
        assert browser.get("/staff").headers["Location"] == "/staff/"
        csrf = browser.get("/v1/session").json()["csrf"]
        left = browser.post("/sign-out", data={"csrf": csrf})
        assert left.headers["Location"] == "/sign-in"


def test_an_address_with_a_slash_too_many_is_not_there(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Without a site too: the API redirects no one."""
    bare = serving(Settings(f"sqlite:///{tmp_path}/etude.db", (EXERCISES,), workers=1))
    answer = httpx.get(f"{bare.url}/v1/exercises/", headers=_HOSTILE)
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "evil" not in answer.text + str(answer.headers)


def test_what_was_compressed_ahead_is_sent_so(served: Served, built: Path) -> None:
    """A browser gets it with the type that it has; a client that takes no compression gets it plain."""
    (style,) = (path.name for path in (built / "assets").glob("site-*.css"))
    plain, zipped = ((built / "assets" / f"{style}{end}").read_bytes() for end in ("", ".gz"))
    with httpx.Client(base_url=f"{served.url}/assets/") as browser:
        answer = browser.get(style)
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Type"].startswith("text/css")
        assert int(answer.headers["Content-Length"]) == len(zipped)
        assert answer.content == plain
        same = {"If-None-Match": answer.headers["ETag"]}
        assert browser.get(style, headers=same).status_code == HTTPStatus.NOT_MODIFIED
        bare = browser.get(style, headers={"Accept-Encoding": "identity"})
        assert "Content-Encoding" not in bare.headers
        assert bare.content == plain


def test_the_solution_is_for_those_who_passed(served: Served) -> None:
    """Who has not passed sees nothing of it, whoever else has; no one else is asked."""
    client, path = served.client("ada"), "/v1/exercises/attention-weights/solution"
    assert client.get(path).status_code == HTTPStatus.FORBIDDEN
    submission = {"exercise": "attention-weights", "source": f"{served.solution()}# ada\n"}
    location = client.post("/v1/submissions", json=submission).headers["Location"]
    assert served.outcome(client, location) == "passed"
    assert client.get(path).json() == {"source": served.solution()}
    assert served.client("grace").get(path).status_code == HTTPStatus.FORBIDDEN
    assert httpx.get(f"{served.url}{path}").status_code == HTTPStatus.UNAUTHORIZED
    unknown = "/v1/exercises/no-such-one/solution"
    assert client.get(unknown).status_code == HTTPStatus.NOT_FOUND


def test_an_unknown_path_of_the_api_is_a_problem(served: Served) -> None:
    """Not the site's page; a path that takes another method says which."""
    for method, path, status in (
        ("GET", "/v1/nope", HTTPStatus.NOT_FOUND),
        ("DELETE", "/v1/exercises", HTTPStatus.METHOD_NOT_ALLOWED),
    ):
        answer = httpx.request(method, f"{served.url}{path}")
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["type"] == "about:blank"
