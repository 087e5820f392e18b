"""`etude preview`: a real server on this machine, asked as a browser asks."""

import http.client
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import TWICE

EXERCISE = TWICE.replace("[2.0, 4.0]", "[2.0, 5.0]")
CORRECTED = (
    EXERCISE.replace("{x: [1.0, 2.0]}", "{x: [1.0, 3.0, 5.0, 7.0, 9.5]}")
    .replace("[2.0, 5.0]", "[2.0, 6.0, 10.0, 14.0, 19.0]")
    .replace("{x: [-1.0]}", "{x: [-1.0, 0.5, 2.5, 4.5]}")
    .replace("[-2.0]", "[-2.0, 1.0, 5.0, 9.0]")
    + """\
misconceptions:
  - id: squared
    code: |
      def double(x):
          return x**2
    feedback: This is the square.
"""
)
TRACK = "id: one\ntitle: One\ndescription: One exercise.\nexercises: [double]\n"
_PATIENCE = 60.0  # seconds, bounded even on a busy machine


class Server:
    """One running command and the address that it printed."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
        assert ready, "the server did not say where it is"
        self.line = process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)(/\S*)", self.line)
        assert found, self.line
        self.port, self.path = int(found[1]), found[2]

    def get(self, path: str = "", host: str = "") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        headers = {"Host": host} if host else {}
        connection.request("GET", path or self.path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def wait_for(self, text: str) -> str:
        """Ask for the page until it holds a text."""
        until = time.monotonic() + _PATIENCE
        while text not in (page := self.get()[1]):
            assert time.monotonic() < until, page
            time.sleep(0.2)
        return page


@contextmanager
def serving(*words: str | Path, cwd: Path | None = None) -> Iterator[Server]:
    command = [str(Path(sys.executable).with_name("etude")), *map(str, words), "--port", "0"]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
        finally:
            process.terminate()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one" / "01-double.yaml"
    path.parent.mkdir()
    path.write_text(EXERCISE)
    (path.parent / "track.yaml").write_text(TRACK)
    return path


@pytest.mark.slow
def test_preview_proves_again_what_changes(file: Path) -> None:
    """The page says so when the file was corrected."""
    with serving("preview", file) as server:
        server.wait_for("Not proven")
        file.write_text(CORRECTED)
        assert "the solution gives 4" not in server.wait_for("Proven: 2 tests (1 hidden)")


@pytest.mark.slow
def test_preview_shows_findings_and_follows_the_file(file: Path) -> None:
    """The page has what verify and lint say, and is built again when the file changes.

    They are ours, whatever lies in the working directory.
    """
    (file.parent / "grader.py").write_text("raise SystemExit('imported from there')")
    with serving("preview", file, cwd=file.parent) as server:
        page = server.wait_for("Not proven")
        assert "the solution gives 4" in page
        assert "ETU101" in page
        file.write_text("id: double\nxp: many\n")
        page = server.wait_for("Not a valid definition")
        assert "expected an integer" in page


@pytest.mark.slow
def test_preview_shows_a_course_in_spite_of_errors(file: Path) -> None:
    """What is wrong with an exercise or a lesson stands on its page; the rest is there."""
    folder = file.parent
    (folder / "02-broken.yaml").write_text("id: broken\nxp: many\n")
    (folder / "lessons").mkdir()
    (folder / "lessons/01-fine.md").write_text("Fine.\n\n```exercise\nbroken\n```\n")
    (folder / "lessons/02-raises.md").write_text("```python\n1 / 0\n```\n")
    (folder / "lessons/03-fence.md").write_text("```pyhton\n1\n```\n")
    names = "[{id: fine, title: Fine}, {id: raises, title: Raises}, {id: fence, title: Fence}]"
    track = TRACK.replace("[double]", "[double, broken]") + f"lessons: {names}\n"
    (folder / "track.yaml").write_text(track)
    with serving("preview", folder.parent) as server:
        wrong = ["expected an integer", "ZeroDivisionError", "expected one of python"]
        places = ["broken", "lessons/raises", "lessons/fence"]
        pages = [server.get(f"/one/{place}/")[1] for place in places]
        assert all(text in page for text, page in zip(wrong, pages, strict=True))
        assert all(text in server.get("/")[1] for text in wrong)
        assert "broken" in server.get("/one/lessons/fine/")[1]
        server.path = "/one/double/"
        assert "Double it" in server.get()[1]
        file.write_text(CORRECTED)
        server.wait_for("Proven: 2 tests (1 hidden)")


@pytest.mark.slow
def test_preview_rebuilds_and_tells_open_pages(file: Path) -> None:
    """A page that is open hears of a change over its stream of events."""
    with serving("preview", file.parent.parent) as server:
        assert server.get("/one/double/")[0] == 200
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)
        connection.request("GET", "/_live/events")
        events = connection.getresponse()
        file.write_text(EXERCISE.replace("Double it", "Make it twice"))
        assert events.readline() == b"event: built\n"
        connection.close()
        assert "Make it twice" in server.get("/one/double/")[1]
        assert "not of this site" not in server.get("/nowhere")[1]
        assert server.get("/nowhere")[0] == 404


@pytest.mark.slow
def test_preview_runs_only_the_lessons_that_changed(file: Path) -> None:
    """What a lesson drew at random stays when an exercise changes, and not when it does."""
    lesson = file.parent / "lessons" / "01-chance.md"
    lesson.parent.mkdir()
    cell = '```python\nimport numpy as np\nprint("drawn", np.random.default_rng().random())\n```\n'
    lesson.write_text(f"Chance.\n\n{cell}")
    lessons = "lessons:\n  - {id: chance, title: Chance, exercises: [double]}\n"
    (file.parent / "track.yaml").write_text(TRACK + lessons)
    with serving("preview", file.parent.parent) as server:
        server.path = "/one/lessons/chance/"
        first = drawn_number(server.wait_for("Double it"))
        file.write_text(EXERCISE.replace("Double it", "Make it twice"))
        assert drawn_number(server.wait_for("Make it twice")) == first
        lesson.write_text(f"Another chance.\n\n{cell}")
        assert drawn_number(server.wait_for("Another chance.")) != first


def drawn_number(page: str) -> str:
    found = re.search(r"drawn (\d\.\S+)<", page)
    assert found, page
    return found[1]


@pytest.mark.slow
def test_only_this_machine_is_answered_by_its_own_name(file: Path) -> None:
    """A web site whose name resolves to this machine cannot read what is not published yet."""
    with serving("preview", file.parent.parent) as server:
        assert server.get("/", host="evil.example")[0] == 403
        assert server.get("/", host=f"localhost:{server.port}")[0] == 200
        assert server.get("/../../one/01-double.yaml")[0] == 404
        assert "double(x):\n      return" not in server.get("/one/double/")[1]
