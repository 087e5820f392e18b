"""One pytest session over the test modules in the current folder."""

import contextlib
import importlib
import inspect
import io
import logging
import os
import random
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import _pytest.logging
import numpy as np
import pytest

Send = Callable[[dict[str, Any]], None]

# Plugins that write files or only improve the output for people.
_PLUGINS_OFF = (
    "cacheprovider", "doctest", "faulthandler", "junitxml", "legacypath", "pastebin", "python_path",
    "setuponly", "setupplan", "stepwise", "terminal", "threadexception", "unraisableexception",
)  # fmt: skip
_READ_BY_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI", "BUILD_NUMBER")
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_MAX_MESSAGE_LENGTH = 500  # longest kept error message, in characters


@dataclass(frozen=True, slots=True)
class Session:
    """The options of one pytest session."""

    files: Sequence[str]  # the test modules
    ids: frozenset[str] | None = None  # ids of the tests to run, or None for all
    order: str = "written"  # "written", "reversed" or "shuffled"
    times: int = 1  # number of runs of each test
    stop_at_failure: bool = False  # True to stop at the first failure
    trace: str = ""  # the file whose executed lines are reported, or ""
    seed: int = 0  # seeds the generators that a test uses without seeding them


current_test = ""
"""The id of the running test, to which recorded calls are attributed."""


def run(session: Session, send: Send) -> None:
    """Run the tests; send one message for each test and for each module that fails to load."""
    random.seed(session.seed)
    np.random.seed(session.seed)  # noqa: NPY002  an assignment may use it
    # pytest opens /dev/null for writing its log, which a confined process may not.
    _pytest.logging._FileHandler = _NoFile  # type: ignore[misc, assignment]  # noqa: SLF001
    _main(session.files, _Plugin(session, send))


def warm_up() -> None:
    """Import everything that a session needs."""
    for name in ("fft", "linalg", "ma", "random", "testing"):
        importlib.import_module(f"numpy.{name}")
    _main([__file__], None)


def _main(files: Iterable[str], plugin: object) -> None:
    off = [word for name in _PLUGINS_OFF for word in ("-p", f"no:{name}")]
    settings = {name: os.environ.pop(name) for name in _READ_BY_PYTEST if name in os.environ}
    here = [f"--rootdir={Path.cwd()}", f"--confcutdir={Path.cwd()}", "-c", os.devnull]
    # No file can be created for the output, and no one reads assertion messages.
    options = ["--assert=plain", "--capture=sys", "--import-mode=prepend"]
    try:
        pytest.main(
            ["--disable-plugin-autoload", *off, *here, *options, *files],
            plugins=[plugin] if plugin else [],
        )
    finally:
        os.environ.update(settings)


class _NoFile(logging.StreamHandler[io.StringIO]):
    def __init__(self, *_: object, **__: object) -> None:
        super().__init__(io.StringIO())


@dataclass(slots=True)
class _Coverage:
    """Executed lines of the traced file."""

    lines: set[int] = field(default_factory=set)
    calls: bool = False  # True if one of the lines stands in a function

    def add(self, other: "_Coverage") -> None:
        self.lines |= other.lines
        self.calls |= other.calls


class _Tracer:
    """A recorder of one file's executed lines by a trace function; of no file if it is ""."""

    def __init__(self, file: str) -> None:
        self._file = str(Path.cwd() / file) if file else ""
        self._coverage: _Coverage | None = None

    @contextlib.contextmanager
    def record(self, coverage: _Coverage) -> Iterator[None]:
        """Add the lines that a block executes to `coverage`, and to no other."""
        if not self._file:
            yield
            return
        before, self._coverage = self._coverage, coverage
        sys.settrace(self._trace_call)
        try:
            yield
        finally:
            self._coverage = before
            sys.settrace(self._trace_call if before is not None else None)

    def _trace_call(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != self._file or self._coverage is None:
            return None
        name, flags = frame.f_code.co_name, frame.f_code.co_flags
        is_function = bool(flags & inspect.CO_OPTIMIZED) and name not in _COMPREHENSIONS
        self._coverage.calls |= is_function
        return self._trace_line(frame, event, None)

    def _trace_line(self, frame: FrameType, _event: str, _: object) -> Any:
        if self._coverage is not None:
            self._coverage.lines.add(frame.f_lineno)
        return self._trace_line


class _Plugin:
    """A pytest plugin that chooses and orders tests, and reports them."""

    def __init__(self, session: Session, send: Send) -> None:
        self._session = session
        self._send = send
        self._tracer = _Tracer(session.trace)
        self._loading = _Coverage()  # while the test modules are imported
        self._by_fixture: dict[str, _Coverage] = {}
        self._failed = False
        self._errors: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        config.option.tbstyle = "native"  # the cheapest style of traceback

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with self._tracer.record(self._loading):
            return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._send({"kind": "not loaded", "file": report.nodeid, "message": _message(report)})

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = self._session.ids
        if chosen is not None:
            items[:] = [item for item in items if item.nodeid in chosen]
        if self._session.order == "reversed":
            items.reverse()
        elif self._session.order == "shuffled":
            random.Random(self._session.seed).shuffle(items)  # noqa: S311  no secret
        items[:] = [item for item in items for _ in range(self._session.times)]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Attribute the lines that a shared fixture runs to every test that uses it."""
        if fixturedef.scope == "function":
            return (yield)
        with self._tracer.record(self._by_fixture.setdefault(fixturedef.argname, _Coverage())):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        global current_test  # noqa: PLW0603  the calls that are recorded ask for it
        current_test = item.nodeid
        self._failed, self._errors, self._skipped = False, [], False
        began, began_cpu = time.perf_counter(), time.process_time()
        self._send({"kind": "begins", "id": item.nodeid})
        coverage = _Coverage()
        with self._tracer.record(coverage):
            result = yield
        # The next item may be the same one, which pytest would not set up again.
        if self._session.times > 1:
            with contextlib.suppress(Exception):
                item.session._setupstate.teardown_exact(None)  # noqa: SLF001
        fixture_names = {*getattr(item, "fixturenames", ())} & self._by_fixture.keys()
        for shared in (self._loading, *(self._by_fixture[name] for name in fixture_names)):
            coverage.add(shared)
        message = {
            "kind": "test",
            "id": item.nodeid,
            "outcome": "failed" if self._failed else "skipped" if self._skipped else "passed",
            "seconds": time.perf_counter() - began,
            "cpu": time.process_time() - began_cpu,
            "message": (self._errors or [""])[0],
            "lines": sorted(coverage.lines),
            "calls": coverage.calls,
        }
        self._send(message)
        if self._failed and self._session.stop_at_failure:
            item.session.shouldstop = "the first failure"
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = True
            self._errors.append(_message(report))
        elif report.skipped:
            self._skipped = True

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        error = excinfo.exconly().splitlines()[-1]
        self._send({"kind": "broken", "message": error[:_MAX_MESSAGE_LENGTH]})


def _message(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Return the first line of a report's error."""
    crash = getattr(report.longrepr, "reprcrash", None)
    missing = getattr(report.longrepr, "errorstring", None)  # set on the report of a fixture
    text = str(missing or (crash.message if crash is not None else report.longrepr))
    text = text.replace(f"{Path.cwd()}/", "")
    lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.strip()]
    if crash is None and missing is None:
        lines.reverse()  # the error of a module that fails to load comes last
    if lines and lines[0].endswith(":"):  # NumPy's assertions begin with a heading
        lines[0] = " ".join(lines[:2])
    return (lines or ["an error without a message"])[0][:_MAX_MESSAGE_LENGTH]


def module_name(file: str) -> str:
    """Return the name under which a file of the folder is imported."""
    return ".".join(Path(file).with_suffix("").parts)


def forget_modules(files: Iterable[str]) -> None:
    """Remove our own modules that have the name of an assignment's module."""
    for file in files:
        name = module_name(file)
        if name in sys.modules and name not in {"grader", "pytest", "numpy"}:
            del sys.modules[name]
    importlib.invalidate_caches()
