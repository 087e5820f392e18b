"""A submission finds in its process what `python submission.py` shows it, and nothing of ours."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from grader.browser.page_child import PageChildFactory
from grader.sandbox.answers import Returned
from grader.sandbox.backends import BACKENDS, UNSAFE
from grader.sandbox.examination import examine
from grader.sandbox.in_child.operations import FILE_NAME
from grader.sandbox.interface import Child, Exchange
from grader.sandbox.limits import Limits
from grader.sandbox.portable import PortableSandbox
from grader.sandbox.process import Sandbox

LIMITS = Limits(cpu_seconds=20, wall_seconds=60)
PLACES = ("namespaces", "landlock", "none", "portable", "page")
SOURCE = '''
import argparse, inspect, io, os, sys, threading, timeit, traceback, warnings


def is_given():
    return len(sys.argv) > 1


def warn():
    warnings.warn("mind", stacklevel=3)


def usage():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--number", type=int, default=3)
    sys.stderr, before = io.StringIO(), sys.stderr
    try:
        parser.parse_args()
    except SystemExit as error:
        return [error.code, sys.stderr.getvalue()]
    finally:
        sys.stderr = before


defaults = argparse.ArgumentParser()
defaults.add_argument("--number", type=int, default=3)


class Layer:
    """A class, whose source can be asked for."""


def warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("mind", stacklevel=99)
    (each,) = caught
    return warnings.formatwarning(each.message, each.category, each.filename, each.lineno)


RECORD = {
    "arguments": [sys.argv, sys.orig_argv[1:], is_given(), vars(defaults.parse_args())],
    "usage": usage(),
    "file": [os.path.basename(__file__), os.path.dirname(__file__) == os.getcwd()],
    "specification": [__spec__, __package__ or None],
    "main": sorted(set(vars(sys.modules["__main__"])) - set(globals())),
    "main's file": sys.modules["__main__"].__file__ == __file__,
    "timeit": timeit.timeit("is_given()", setup="from __main__ import is_given", number=1) > 0,
    "source": inspect.getsource(Layer),
    "path": sys.path[0] == os.getcwd(),
    "environment": sorted(os.environ),
    "here": os.environ.get("PWD") == os.getcwd(),
    "threads": [each.name for each in threading.enumerate()],
    "input": sys.stdin.read(),
    "streams": [
        [each.name, each.mode, each.encoding, each.isatty(), each.reconfigure(encoding="utf-8")]
        for each in (sys.stdout, sys.stderr)
    ],
    "bytes": sys.stdout.buffer.write(b""),
    "warning": warning(),
    "hooks": [repr(sys.excepthook), repr(sys.displayhook), repr(sys.gettrace())],
    "recursion": sys.getrecursionlimit(),
    "interpreter": sys.orig_argv[0] == sys.executable,
}


def record():
    return RECORD
'''
# Of a page: these are those of its Python, and the same for all.
NOT_IN_A_PAGE = ("path", "environment", "here", "threads")


@pytest.fixture
def recorded(tmp_path: Path) -> dict[str, object]:
    """Return the record of a submission that a learner runs."""
    (tmp_path / FILE_NAME).write_text(f"{SOURCE}\nimport json\nprint(json.dumps(RECORD))\n")
    environment = {
        "HOME": "/",
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "PWD": os.fspath(tmp_path.resolve()),
    }
    command = [sys.executable, FILE_NAME]
    ran = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


@pytest.fixture(params=PLACES)
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    """Each place where a submission runs, if this host has it."""
    with ExitStack() as stack:
        if request.param == "page":
            made: Child = PageChildFactory().child(LIMITS)
            stack.callback(made.close)
        elif request.param == "portable":
            made = stack.enter_context(PortableSandbox().child(LIMITS))
        else:
            (backend,) = (each for each in (*BACKENDS, UNSAFE) if each.name == request.param)
            if backend is not UNSAFE and not examine([backend])[0].works:
                pytest.skip(f"{backend.name} does not work on this host")
            made = stack.enter_context(stack.enter_context(Sandbox(backend)).child(LIMITS))
        yield made


def test_a_submission_finds_what_python_shows_it(
    child: Child, recorded: dict[str, object], request: pytest.FixtureRequest
) -> None:
    """Arguments, names, path, environment, threads, streams: as in `python submission.py`."""
    place = request.node.callspec.params["child"]
    assert isinstance(loaded := child.load(SOURCE, ["record"]), Returned), loaded
    answer = child.call("record", [], {})
    assert isinstance(answer, Returned), answer
    found = json.loads(json.dumps(answer.value))
    if place == "portable":  # it has its user's environment, and our three settings are gone
        assert "PYTHONHASHSEED" not in found["environment"]
        found["environment"] = recorded["environment"]
    for name in NOT_IN_A_PAGE if place == "page" else ():
        del found[name], recorded[name]
    assert found == recorded


def test_a_warning_names_no_file_of_ours(child: Child) -> None:
    """The place that calls a function of the submission is not one of its lines."""
    source = "import warnings\ndef f():\n    warnings.warn('mind', stacklevel=2)\n"
    child.load(source, ["f"])
    child.call("f", [], {}, Exchange(with_warnings=True))
    assert child.output() == "sys:1: UserWarning: mind\n"


def test_a_stream_of_the_submission_s_own_is_read(
    child: Child, request: pytest.FixtureRequest
) -> None:
    """What it keeps is part of the output, as at the end of a program."""
    if request.node.callspec.params["child"] == "page":
        pytest.skip("a page sets its streams before each request")
    source = "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\n"
    child.load(f"{source}print('first')\n", [])
    answer = child.ask("run", "print('second')", {})
    assert answer == Returned(value=len("second\n"))
    assert child.output() == "first\nsecond\n"


def test_a_page_has_its_own_start_again() -> None:
    """After each request, whatever the submission made of it."""
    before = sys.argv, sys.orig_argv, sys.modules["__main__"]
    child = PageChildFactory().child(LIMITS)
    child.load("import sys\nsys.argv = 3\ndef f(): return sys.argv\n", ["f"])
    assert (sys.argv, sys.orig_argv, sys.modules["__main__"]) == before
    assert child.call("f", [], {}) == Returned(value=3)
    child.load("import sys\ndel sys.argv, sys.modules['__main__']\n", [])
    child.close()
    assert (sys.argv, sys.orig_argv, sys.modules["__main__"]) == before


def test_data_files_replace_no_file() -> None:
    """A file of that name stays as it is; the submission reads ours."""
    with PortableSandbox().child(LIMITS) as child:
        child.load(
            "def f(): return open('data.csv').read()\nopen('data.csv', 'w').write('a')", ["f"]
        )
        child.put_files({"data.csv": b"ours"})
        assert child.call("f", [], {}) == Returned(value="ours")
        source = "import os\ndef g(): return os.read(os.open('data.csv', os.O_RDONLY), 9)"
        child.load(source, ["g"])
        assert child.call("g", [], {}) == Returned(value=b"a")


def test_without_a_sandbox_no_child_works_in_our_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would write there, and learn where we were started."""
    monkeypatch.chdir(tmp_path)
    with Sandbox(UNSAFE) as sandbox, sandbox.child(LIMITS) as child:
        child.load("import os\ndef f(): return os.getcwd()", ["f"])
        assert child.call("f", [], {}) == Returned(value="/")
