"""`etude check` as it looks: in terminals of several sizes, in a pipe, and for screen readers."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.conftest import Etude

ROOT = Path(__file__).parents[2]
WRONG = ROOT / "examples" / "submissions" / "unscaled" / "attention-weights.py"
RIGHT = ROOT / "examples" / "submissions" / "correct" / "attention-weights.py"

MARKED = re.compile(r"\[0\.4555\].*\[0\.5065\]")


@pytest.fixture(autouse=True)
def _record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path / "data"))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


def in_terminal(*words: str | Path, width: int = 80, height: int = 24, **environment: str) -> str:
    """Run the command in a terminal of that size, and return its output with all escapes."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    with (
        subprocess.Popen(
            [sys.executable, "-m", "grader.cli", "check", *map(str, words)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", **environment},
        ),
        open(ours, "rb") as terminal,  # noqa: PTH123  a descriptor
    ):
        os.close(theirs)
        pieces = []
        try:
            while piece := terminal.read1(1 << 16):
                pieces.append(piece)
        except OSError:  # how Linux says that the other end has gone
            pass
    return b"".join(pieces).decode().replace("\r\n", "\n")


def looks(text: str) -> list[str]:
    """Return the lines without escapes."""
    return re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (80, 24),
        pytest.param(40, 24, marks=pytest.mark.slow),
        pytest.param(120, 50, marks=pytest.mark.slow),
    ],
)
def test_a_failure_fits_into_the_terminal(width: int, height: int) -> None:
    """With the prompt below it, also when a hint is offered.

    Where they fit, there are coloured blocks, with brackets where the error is largest.
    """
    for attempt in range(2):
        text = in_terminal(
            "attention-weights", WRONG, width=width, height=height, COLORTERM="truecolor"
        )
        lines = looks(text)
        coloured = re.search(r"\x1b\[[\d;]*48;2;", text) is not None
        marked = any(MARKED.search(line) for line in lines)
        assert coloured == marked == (width >= 80)
        rows = [-(-len(line) // width) or 1 for line in lines]
        assert sum(rows) < height
        assert all(row == 1 for row, line in zip(rows, lines, strict=True) if "etude" not in line)
        assert ("Stuck? " in text) == (attempt == 1)
        assert [line for line in lines if line.startswith("Not passed yet: ")]
        assert "These are the weights without the" in text


def test_a_pipe_gets_a_line_for_each_test_and_no_escapes(etude: Etude) -> None:
    """Hidden tests that failed alike share a line; `--verbose` opens every failing test."""
    finished = etude("check", "attention-weights", WRONG)
    assert "\x1b" not in finished.stdout
    lines = finished.stdout.splitlines()
    assert len([line for line in lines if line[:1] in ("\u2713", "\u2717")]) == 6
    assert [line for line in lines if MARKED.search(line)]
    assert len(MARKED.findall(finished.stdout)) == 1
    assert [line for line in lines if line.startswith("  The result has") and "last axis" in line]
    assert etude("check", "attention-weights", WRONG, "--verbose").stdout.count("yours") == 2


@pytest.mark.slow
def test_plain_is_the_format_of_that_name(etude: Etude) -> None:
    """Sentences, no marks, no columns; with other formats for files, but for no other print."""
    flag = etude("check", "attention-weights", WRONG, "--plain", "--format", "junit=out.xml")
    named = etude("check", "attention-weights", WRONG, "--format", "plain")
    both = etude("check", "attention-weights", WRONG, "--format", "plain", "--plain")
    said = "Row 0, yours: 0.5065, 0.1863, 0.3072."
    assert [said in finished.stdout for finished in (flag, named, both)] == [True] * 3
    assert flag.stdout == named.stdout.partition("Stuck?")[0]
    assert not re.search("[\u2713\u2717\u2588\u2500-\u257f]", flag.stdout)
    refused = etude("check", "attention-weights", WRONG, "--plain", "--format", "json")
    assert refused.returncode == 2
    assert "only one of json and plain can be printed" in refused.stderr


def test_plain_knows_no_terminal() -> None:
    """A screen reader hears whole sentences, whatever the window's size."""
    text = in_terminal("attention-weights", WRONG, "--plain", width=40, height=10)
    assert "\x1b" not in text
    assert "  Row 0, expected: 0.4555, 0.2246, 0.3199." in text.splitlines()


def test_a_pass_says_what_it_earned_and_what_comes_next() -> None:
    """In colour where there is any."""
    text = in_terminal("attention-weights", RIGHT)
    assert "\x1b[1;32mPassed: 13/13 points, +15 XP." in text
    assert looks(text)[-1] == "Next: etude start causal-mask"


def write_double(folder: Path, expect: str = "2 * x") -> Path:
    """Write an exercise and a right submission to it."""
    path = folder / "01-double.yaml"
    path.write_text(
        "id: double\ntitle: Double it\ndifficulty: beginner\nxp: 5\ninstructions: Write `double`.\n"
        "defines: {double: {}}\nstarter: ''\nsolution: ''\nexplanation: Twice.\ntests:\n"
        f"  - {{id: only, given: {{x: 3}}, call: double(x), expect: {{expression: {expect}}}}}\n"
    )
    (folder / "double.py").write_text("def double(x):\n    return 2 * x\n")
    return path


@pytest.mark.slow
def test_a_definition_that_changed_is_read_again(etude: Etude, tmp_path: Path) -> None:
    """Also when it changes back, or is not valid any more."""
    command = ("check", write_double(tmp_path), tmp_path / "double.py")
    assert etude(*command).returncode == 0
    write_double(tmp_path, expect="3 * x")
    assert etude(*command).returncode == 1
    write_double(tmp_path)
    assert etude(*command).returncode == 0
    write_double(tmp_path, expect="[")
    broken = etude(*command)
    assert broken.returncode == 2
    assert "01-double.yaml:11:" in broken.stderr
