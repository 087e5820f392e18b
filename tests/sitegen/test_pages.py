"""Rules that every page keeps to, and the content of each kind of page."""

import json
import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import pytest

from grader.errors import UsageError
from sitegen.hosting import PUBLIC_PYODIDE, Hosting
from tests.sitegen.conftest import Build, Page, Site, make_exercise, make_test, make_track

PAGES = [
    "404.html",
    "about/index.html",
    "accessibility/index.html",
    "arrays/broadcasting/index.html",
    "arrays/index.html",
    "attention/heads/index.html",
    "attention/index.html",
    "attention/masks/index.html",
    "attention/weights/index.html",
    "concepts/index.html",
    "course/index.html",
    "course/lessons/begin/index.html",
    "course/lessons/end/index.html",
    "course/loose/index.html",
    "course/one/index.html",
    "course/three/index.html",
    "course/two/index.html",
    "empty/index.html",
    "index.html",
    "offline/index.html",
    "progress/index.html",
    "search/index.html",
]
FOREIGN = ("https://arxiv.org/", "https://pyodide.org/")
MADE_BY_SCRIPTS = {"results"}
every_page = pytest.mark.parametrize("name", PAGES)
every_page_with_an_address = pytest.mark.parametrize("name", PAGES[1:])


def test_every_track_lesson_and_exercise_has_a_page(site: Site) -> None:
    """The pages lie where their addresses say, and there are no others."""
    assert sorted(site.pages) == PAGES


@every_page
def test_a_page_has_a_head_landmarks_and_headings(site: Site, name: str) -> None:
    """It says what it is; its first link leads to the main part, which begins with the one `<h1>`.

    No level of headings is skipped on the way down, no id is used twice, and labels exist.
    """
    page = site[name]
    headings = [each for each in page.elements if re.fullmatch("h[1-6]", each.tag)]
    levels = [int(each.tag[1]) for each in headings if "main" in each.within]
    ids = [each.attributes["id"] for each in page.elements if "id" in each.attributes]
    labels = {each.attributes.get("aria-labelledby") for each in page.elements} - {None}

    assert page.path.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("meta", charset="utf-8")
    assert "width=device-width" in page.one("meta", name="viewport").attributes["content"]
    assert page.one("title").text.endswith(("Etude", "NumPy"))
    assert page.one("meta", name="description").attributes["content"].endswith(".")
    assert page.one("link", rel="icon").attributes["type"] == "image/svg+xml"
    assert page.all("header")
    assert page.all("footer")
    assert page.one("main").attributes["id"] == "content"
    assert page.all("a")[0].attributes["href"] == "#content"
    assert [each.tag for each in headings].count("h1") == 1
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    assert len(ids) == len(set(ids))
    assert labels <= set(ids)


def test_a_site_has_the_name_of_its_course(build: Build) -> None:
    """In titles, at the top of each page and on the first one, which claims no lesson it lacks."""
    site = build(make_track(), title="Physics <II>")

    home = site["index.html"]
    assert home.one("h1").text == home.one("title").text == "Physics <II>"
    assert "Physics <II>" in home.one("a", class_="brand").text
    assert "lessons in which" not in home.text
    assert site["about/index.html"].one("title").text == "About · Physics <II>"


def test_a_site_can_be_installed(site: Site) -> None:
    """Its manifest leads to the first page and names an icon that is there."""
    link = site["about/index.html"].one("link", rel="manifest").attributes["href"]
    manifest = site.root / "about" / link
    data = json.loads(manifest.read_text("utf-8"))
    assert (manifest.parent / data["start_url"] / "index.html").exists()
    assert (manifest.parent / data["icons"][0]["src"]).exists()


@every_page
def test_a_page_has_no_inline_script_or_style(site: Site, name: str) -> None:
    """No code in the page, no event handlers, no style attributes, not even in formulas."""
    page = site[name]

    assert not page.all("style")
    for script in page.all("script"):
        assert script.text == "" or script.attributes["type"] == "application/json"
    for element in page.elements:
        assert not any(name == "style" or name.startswith("on") for name in element.attributes)


@every_page
def test_the_policy_allows_no_inline_code_and_one_foreign_host(site: Site, name: str) -> None:
    """By default nothing may load; scripts come from the site, files also from where Python is.

    Python's own scripts are of `blob:` addresses, and its worker is of a `data:` address.
    """
    policy = _policy(site[name])

    assert policy.pop("default-src") == ["'none'"]
    assert policy.pop("script-src") == ["'self'", "file:", "blob:", "'wasm-unsafe-eval'"]
    assert policy.pop("worker-src") == ["'self'", "data:"]
    assert policy.pop("connect-src") == ["'self'", PUBLIC_PYODIDE]
    assert policy.pop("style-src") == ["'self'", "file:", "'unsafe-inline'"]
    allowed = {source for sources in policy.values() for source in sources}
    assert allowed == {"'none'", "'self'", "file:", "data:"}


def test_a_site_that_has_python_itself_needs_no_other_host(build: Build) -> None:
    """Then pages contain addresses of other hosts only in links that a reader may follow."""
    site = build(hosting=Hosting(pyodide={"pyodide.mjs": b"python"}))
    page = site["about/index.html"]

    assert (site.root / "pyodide/pyodide.mjs").read_bytes() == b"python"
    assert page.one("html").attributes["data-pyodide"] == "../pyodide/"
    assert {source for sources in _policy(page).values() for source in sources} == {
        *("'none'", "'self'", "file:", "blob:", "data:", "'wasm-unsafe-eval'", "'unsafe-inline'")
    }
    assert "https://" not in site["search/index.html"].path.read_text("utf-8")
    assert "https://" not in (site.root / "offline.js").read_text("utf-8")


def _policy(page: Page) -> dict[str, list[str]]:
    content = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    directives = [directive.split() for directive in content.split(";")]
    return {name: sources for name, *sources in directives}


@every_page
def test_a_page_tells_scripts_where_they_are(site: Site, name: str) -> None:
    """The way to the root, to Python and to the grader's modules, all of which are there."""
    page = site[name]
    told = page.one("html").attributes
    if name == "404.html":
        assert told["data-root"] == "/"
        return

    assert (page.path.parent / told["data-root"]).resolve() == site.root.resolve()
    assert told["data-root"].endswith("/")
    assert (page.path.parent / told["data-bundle"]).suffix == ".zip"
    assert (page.path.parent / told["data-bundle"]).is_file()
    assert told["data-pyodide"] == "https://cdn.jsdelivr.net/pyodide/v0.29.4/full/"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("index.html", {"page": "home"}),
        ("attention/index.html", {"page": "track", "track": "attention"}),
        (
            "attention/heads/index.html",
            {"page": "exercise", "track": "attention", "exercise": "heads"},
        ),
        ("course/lessons/end/index.html", {"page": "lesson", "track": "course", "lesson": "end"}),
    ],
)
def test_a_page_has_the_scripts_of_its_kind(site: Site, name: str, told: dict[str, str]) -> None:
    """What it is stands in its attributes, and a module has the name of its kind."""
    page = site[name]
    attributes = page.one("html").attributes
    scripts = [each.attributes["src"] for each in page.all("script", type="module")]

    assert told.items() == {
        (key, attributes[f"data-{key}"])
        for key in ("page", "track", "exercise", "lesson")
        if f"data-{key}" in attributes
    }
    assert [re.sub(r".*/|-.*", "", script) for script in scripts] == ["page", told["page"]]


@every_page_with_an_address
def test_every_link_leads_to_a_file(site: Site, name: str) -> None:
    """Links and assets are relative and name a file that was built, and an id that it has.

    What a browser fetches by itself is never of another host.
    """
    page = site[name]
    for element in page.elements:
        address = element.attributes.get("href", element.attributes.get("src"))
        if address is None or (element.tag == "a" and address.startswith(FOREIGN)):
            continue
        parts = urlsplit(address)
        assert not parts.scheme
        assert not parts.netloc
        assert not parts.path.startswith("/")
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        assert target.is_file(), f"{address} in {name}"
        assert target.is_relative_to(site.root.resolve())
        if parts.fragment and parts.fragment not in MADE_BY_SCRIPTS:
            there = site[target.relative_to(site.root.resolve()).as_posix()]
            assert parts.fragment in {each.attributes.get("id") for each in there.elements}


@pytest.mark.parametrize("base_url", ["/", "/etude/", "/~me/etude-1.0/"])
def test_the_page_for_what_is_not_found_can_be_shown_at_any_address(
    build: Build, base_url: str
) -> None:
    """Its links begin at the host's root, and lead to files where the host has the site."""
    site = build(hosting=Hosting(base_url=base_url))
    elements = site["404.html"].elements
    links = [each.attributes.get("href", each.attributes.get("src")) for each in elements]
    found = [link for link in links if link and link != "#content"]

    assert f"{base_url}search/index.html" in found
    for link in found:
        assert link.startswith(base_url)
        assert (site.root / link.removeprefix(base_url)).is_file()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        *(
            (partial(Hosting, base_url=path), "The base URL is a path such as /etude/")
            for path in ("", "etude/", "/etude", "https://example.org/", '/"/', "//")
        ),
        *(
            (partial(Hosting.from_options, site_url=address), "URL is one such as")
            for address in ("example.org", "/etude/", "ftp://example.org/", "https://a b/")
        ),
        *(
            (partial(Hosting.from_options, pyodide_url=address), "The URL of Pyodide is")
            for address in ("example.org", "ftp://example.org/", "https://a b/")
        ),
        (
            partial(Hosting.from_options, site_url="https://a.org/a/", base_url="/b/"),
            "is not the path of",
        ),
    ],
)
def test_an_address_that_is_none_is_refused(make: Callable[[], Hosting], message: str) -> None:
    """The sentence shows a valid address; a base that contradicts the site's is invalid, too."""
    with pytest.raises(UsageError, match=message):
        make()


def test_python_may_lie_elsewhere_on_the_same_host(build: Build) -> None:
    """Then no other host is named, and the address is the same from every page."""
    site = build(hosting=Hosting.from_options(pyodide_url="/shared/pyodide"))
    page = site["about/index.html"]

    assert page.one("html").attributes["data-pyodide"] == "/shared/pyodide/"
    assert not any("//" in source for sources in _policy(page).values() for source in sources)


def test_the_base_follows_from_the_site_s_address() -> None:
    """It need not be given too."""
    assert Hosting.from_options(site_url="https://example.org/a/b").base_url == "/a/b/"
    assert Hosting.from_options(site_url="https://example.org").base_url == "/"
    assert Hosting.from_options().base_url == "/"


@every_page
def test_every_class_is_styled_or_a_token_of_code(site: Site, name: str) -> None:
    """A class that a page uses is in the stylesheet or a script, so no rename goes half way."""
    styled = set(re.findall(r"\.([a-z][\w-]*)", site.asset("site.css")))
    scripts = "".join(path.read_text("utf-8") for path in (site.root / "assets").glob("*.js"))
    used = {each for e in site[name].elements for each in e.attributes.get("class", "").split()}

    unknown = {each for each in used - styled if not each.startswith("hl-")}
    assert {each for each in unknown if f".{each}" not in scripts} == set()


def test_the_index_lists_tracks_and_their_exercises_in_order(site: Site) -> None:
    """Each track has its title, its size, its XP and links to its exercises."""
    index = site["index.html"]
    links = [each.attributes["href"] for each in index.all("a")]

    assert [each.text for each in index.all("h3")][:3] == [
        "Attention from scratch",
        "Arrays",
        "Empty",
    ]
    assert [link for link in links if link.startswith("attention/")] == [
        "attention/weights/index.html",  # where to begin
        "attention/index.html",
        "attention/weights/index.html",
        "attention/masks/index.html",
        "attention/heads/index.html",
    ]
    assert "3 exercises" in index.text
    assert "1 exercise " in " ".join(index.text.split())
    assert "50 XP" in index.text


def test_a_site_without_tracks_says_so(build: Build) -> None:
    """The index is built and does not look broken."""
    assert "There are no tracks yet." in build()["index.html"].text


def test_the_track_page_shows_each_exercise_in_order(site: Site) -> None:
    """Difficulty, kind, XP, time, and the total."""
    page = site["attention/index.html"]
    items = [" ".join(item.text.split()) for item in page.all("li") if "XP" in item.text]

    assert items == [
        "1 Title of weights 15 XP Beginner Write the code 8 min",
        "2 Title of masks 20 XP Advanced Repair the code 25 min",
        "3 Title of heads 15 XP Intermediate Predict the result 5 min",
    ]
    assert "50 XP in total" in page.text
    assert page.all("strong")[0].text == "attention"


def test_a_requirement_links_to_its_page(site: Site, build: Build) -> None:
    """In the same track first, or in another one; to nothing if the site does not have it."""
    page = site["attention/masks/index.html"]
    links = {each.text: each.attributes["href"] for each in page.all("a")}

    assert links["Title of broadcasting"] == "../../arrays/broadcasting/index.html"
    assert links["Title of weights"] == "../weights/index.html"
    assert "elsewhere" not in links

    here = make_track(make_exercise("base"), make_exercise("next", requires=("base",)), id="here")
    page = build(here, make_track(make_exercise("base"), id="there"))["here/next/index.html"]
    assert {e.attributes["href"] for e in page.all("a") if e.text == "Title of base"} == {
        "../base/index.html"
    }


def test_an_exercise_page_has_task_code_tests_and_folded_hints(site: Site) -> None:
    """And the command that checks a solution; the expected array is a table with headers."""
    page = site["attention/weights/index.html"]
    code = [each.text for each in page.all("pre")]
    summaries = [each.text for each in page.all("summary")]
    opened = [summaries[n] for n, e in enumerate(page.all("details")) if "open" in e.attributes]
    given, expected = "1.0 0.0 0.0 1.0", "0.250 0.750 0.000 0.500 0.125 0.375"
    cells = [each for each in page.all("td") if each.text]

    assert page.one("h1").text == "Title of weights"
    assert "Your task" in [each.text for each in page.all("h2")]
    assert code[0] == "import numpy as np\n\n\ndef weights(Q):\n    return None"
    assert code[1] == "etude check weights weights.py"
    assert "15 XP" in page.text
    assert page.all("math")

    assert "two queries, three keys" in [each.text for each in page.all("h3")]
    assert "causal = True" in page.text
    assert "weights(Q, causal=causal)" in code
    assert " ".join(each.text for each in cells) == f"{given} {expected}"
    assert {each.attributes["scope"] for each in page.all("th")} == {"col", "row"}
    assert [each.attributes.get("class") for each in cells] == [
        *[None] * 4,  # inputs are not coloured
        *("seq-5", "seq-15", "seq-0"),
        *("seq-10", "seq-2", "seq-8"),
    ]

    assert [text for text in summaries if "Hint" in text] == ["Hint 1 of 2", "Hint 2 of 2"]
    assert opened == ["In a terminal"]
    assert "Hint" not in site["attention/heads/index.html"].text


@pytest.mark.parametrize(
    ("kind", "fields", "shown", "not_shown"),
    [
        (
            "property",
            {"holds": "causal"},
            ["Call", "Must hold", "What comes later changes"],
            "None",
        ),
        ("pytest", {"code": "assert f(Q) > 0"}, ["Test", "assert f(Q) > 0"], "Must"),
        ("answer", {"code": "answer"}, ["Your answer"], "Must"),
        ("output", {"code": "print(1)", "expected": "1\n"}, ["Must print", "1\n"], "None"),
    ],
)
def test_other_kinds_of_test_say_what_they_ask_for(
    build: Build, *, kind: str, fields: dict[str, str], shown: list[str], not_shown: str
) -> None:
    """A property in words, the body of a test, an answer without the right one."""
    test = make_test(kind=kind, **({"expected": None} | fields))
    page = build(make_track(make_exercise(tests=(test,))))["attention/weights/index.html"]
    (section,) = [
        each for each in page.all("section") if "test" in each.attributes.get("class", "").split()
    ]
    assert all(words in section.text for words in shown)
    assert not_shown not in section.text


@pytest.mark.parametrize(
    ("count", "sentence"),
    [(0, ""), (1, "1 more test is hidden: it asks"), (2, "2 more tests are hidden: they ask")],
)
def test_the_number_of_hidden_tests_is_told(build: Build, count: int, sentence: str) -> None:
    """The page says how many tests it does not show, in words that fit one and many."""
    page = build(make_track(make_exercise(hidden_tests=count)))["attention/weights/index.html"]

    assert f"{count} hidden" in page.text
    assert sentence in page.text
    assert ("more test" in page.text) is (count > 0)


def test_a_prediction_does_not_speak_of_other_inputs(build: Build) -> None:
    """Its tests are hidden because they would show the answer."""
    exercise = make_exercise(kind="predict", tests=(), hidden_tests=2)
    text = build(make_track(exercise))["attention/weights/index.html"].text

    assert "2 tests compare your predictions with the real results" in text
    assert "other inputs" not in text


def test_previous_and_next_follow_the_track(site: Site) -> None:
    """The first has no previous exercise, the last leads back to the track."""
    turns = {
        name: {
            each.attributes.get("rel", "end"): each.attributes["href"]
            for each in site[f"attention/{name}/index.html"].all("a")
            if "rel" in each.attributes or "turn-on" in each.attributes.get("class", "")
        }
        for name in ("weights", "masks", "heads")
    }

    assert turns == {
        "weights": {"next": "../masks/index.html"},
        "masks": {"prev": "../weights/index.html", "next": "../heads/index.html"},
        "heads": {"prev": "../masks/index.html", "end": "../index.html"},
    }


def test_the_current_exercise_is_marked_in_the_list_of_the_track(site: Site) -> None:
    """One entry of the sidebar is the page itself."""
    page = site["attention/masks/index.html"]
    current = [each for each in page.all("a") if "aria-current" in each.attributes]

    assert sorted(" ".join(each.text.split()) for each in current) == [
        "Exercise 2 of 3",
        "Title of masks 20 XP",
    ]


def test_what_needs_a_script_is_not_there_without_one(site: Site) -> None:
    """The choice of colours and the search are hidden until they work; code is never an input."""
    for page in site.pages.values():
        assert not page.all("textarea")
        for each in page.all("button"):
            assert "popovertarget" in each.attributes or "needs-script" in each.attributes["class"]
        assert "hidden" in page.one("fieldset").attributes
        assert all("hidden" in each.attributes for each in page.all("form"))
