"""One Chromium, one built site and its host for all tests, and watched browser contexts."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.hosting import BASE, hosted
from tests.browser.judging import DESK
from tests.browser.learner import PATIENCE_MS, Bench
from tests.browser.tools import (
    CHROMIUM_ARGUMENTS,
    MissingError,
    Tools,
    build_site,
    find_chromium,
    give_up,
    install_tools,
    locked,
    write_lessons,
)
from tests.browser.watching import Watch

NewContext: TypeAlias = Callable[..., BrowserContext]
NewPage: TypeAlias = Callable[..., Page]


@pytest.fixture(scope="session")
def tools() -> Tools:
    """The packages that the tests need, and Python for the pages."""
    try:
        return install_tools()
    except MissingError as error:
        give_up(error)


@contextmanager
def _driving(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Make Playwright's event loop the thread's loop, but only for this block.

    Its synchronous interface leaves the loop marked as running, so that no other test of the
    session could run its own loop.
    """
    asyncio._set_running_loop(loop)  # noqa: SLF001  there is no other way to hand a loop over
    try:
        yield
    finally:
        asyncio._set_running_loop(None)  # noqa: SLF001  as above


@pytest.fixture(scope="session")
def _browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    try:
        executable = find_chromium()
    except MissingError as error:
        give_up(error)
    expect.set_options(timeout=PATIENCE_MS)
    manager = sync_playwright()
    playwright = manager.start()
    loop = asyncio.get_running_loop()
    with _driving(loop):
        # A page's Python runs for seconds, so less optimization makes its start a fifth faster.
        arguments = [*CHROMIUM_ARGUMENTS, "--js-flags=--wasm-tiering-budget=50000000"]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
    yield browser, loop
    with _driving(loop):
        browser.close()
        playwright.stop()


@pytest.fixture
def browser(_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """The single Chromium of the session."""
    browser, loop = _browser
    with _driving(loop):
        yield browser


@pytest.fixture(scope="session")
def site(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the exercises that come with Etude, shared by all processes of a run."""
    return _built(tmp_path_factory, tools, "site")


@pytest.fixture(scope="session")
def first_lessons(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with only the first lessons, for tests that need no more."""
    folder = write_lessons(tmp_path_factory.mktemp("first-lessons"))
    words = ("--exercises", os.fspath(folder))
    with hosted(_built(tmp_path_factory, tools, "first-lessons", *words)) as found:
        yield found


@pytest.fixture(scope="session")
def certified_site(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same site with the hidden tests kept out of pages, as a server needs it."""
    return _built(tmp_path_factory, tools, "certified-site", "--certified")


def _built(factory: pytest.TempPathFactory, tools: Tools, name: str, *more: str) -> Path:
    run = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    built = run / name
    with locked(run / f"{name}.lock"):
        if not built.exists():
            build_site(run / f"unfinished-{name}", tools, BASE, *more).rename(built)
    return built


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The address of the hosted site, with a slash at the end."""
    with hosted(site) as found:
        yield found


@pytest.fixture
def new_context(browser: Browser) -> Iterator[NewContext]:
    """Make contexts for a site; the test fails if anything goes wrong in one of them.

    Errors that match the pattern `expected` are allowed, because the test causes them. Pages are
    cached for offline use only on request, since that loads the whole site into each context.
    """
    with ExitStack() as stack:
        watches: list[Watch] = []

        def make(address: str, *, expected: str = "", **options: Any) -> BrowserContext:
            settings = {"viewport": DESK, "service_workers": "block", **options}
            context = browser.new_context(base_url=address, **settings)
            context.set_default_timeout(PATIENCE_MS)
            stack.callback(context.close)
            watches.append(Watch(context, address, expected))
            return context

        yield make
    assert [each for watch in watches for each in watch.complaints] == []


@pytest.fixture
def new_page(new_context: NewContext, address: str) -> NewPage:
    """Make fresh pages for the site, each in its own context."""
    return lambda **options: new_context(address, **options).new_page()


@pytest.fixture
def first_page(new_context: NewContext, first_lessons: str) -> NewPage:
    """Make fresh pages for the site with only the first lessons."""
    return lambda **options: new_context(first_lessons, **options).new_page()


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A fresh page for the site, in a desktop window."""
    return new_page()


@pytest.fixture(scope="session")
def _kept_bench() -> list[tuple[Page, Watch]]:
    return []


@pytest.fixture
def bench(browser: Browser, address: str, _kept_bench: list[tuple[Page, Watch]]) -> Iterator[Bench]:
    """The page of an exercise on which Python is ready; earlier tests may have used it.

    Starting Python takes seconds, so tests share it if possible.
    """
    if not _kept_bench:
        context = browser.new_context(base_url=address, viewport=DESK, service_workers="block")
        context.set_default_timeout(PATIENCE_MS)
        _kept_bench.append((context.new_page(), Watch(context, address)))
    ((page, watch),) = _kept_bench
    bench = Bench(page)
    if not bench.is_ready():
        page.goto("attention/scaled-scores/")
        bench.says("Python is ready")
    before = len(watch.complaints)
    yield bench
    assert watch.complaints[before:] == []
