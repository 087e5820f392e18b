"""Writer of docs/images/check-*.svg: the output of `etude check` in a terminal, for the README.

    python scripts/screenshots.py          writes the images
    python scripts/screenshots.py --check  fails if a terminal shows other words than an image

The real command runs in a pseudo-terminal; its output becomes a self-contained image. Changed
colours or drawing alone do not fail the check.
"""

# ruff: noqa: INP001  a script, in no package

import difflib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "docs" / "images"
SAMPLES: Final = ROOT / "examples" / "submissions"
COLUMNS: Final = 92
ROWS: Final = 60

EXERCISE: Final = "attention-weights"
NO_TRANSPOSE: Final = """\
import numpy as np


def softmax(x):
    \"\"\"Turn each row of scores into positive weights that add up to one.\"\"\"
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def compute_attention_weights(Q, K):
    \"\"\"Return the weight of every key for every query.\"\"\"
    scores = Q @ K / np.sqrt(K.shape[-1])
    return softmax(scores)
"""

# Foreground and background, then the eight normal and eight bright colours of a terminal, all
# readable on this background.
_THEME: Final = TerminalTheme(
    (18, 23, 28),
    (228, 234, 232),
    [
        (18, 23, 28), (255, 157, 143), (127, 216, 160), (242, 196, 109),
        (130, 190, 255), (214, 170, 255), (120, 214, 220), (228, 234, 232),
    ],
    [
        (120, 132, 140), (255, 157, 143), (127, 216, 160), (242, 196, 109),
        (130, 190, 255), (214, 170, 255), (120, 214, 220), (255, 255, 255),
    ],
)  # fmt: skip

# rich fills in the names in single braces.
_SVG: Final = """\
<svg viewBox="0 0 {{width}} {{height}}" xmlns="http://www.w3.org/2000/svg" role="img">
  <title>{title}</title>
  <style>
    .{{unique_id}}-matrix {{{{
      font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: {{char_height}}px;
      line-height: {{line_height}}px;
    }}}}
    .{{unique_id}}-title {{{{
      font-family: system-ui, sans-serif;
      font-size: 18px;
      font-weight: 600;
    }}}}
{{styles}}
  </style>
  <defs>
    <clipPath id="{{unique_id}}-clip-terminal">
      <rect x="0" y="0" width="{{terminal_width}}" height="{{terminal_height}}" />
    </clipPath>
{{lines}}
  </defs>
{{chrome}}
  <g transform="translate({{terminal_x}}, {{terminal_y}})"
     clip-path="url(#{{unique_id}}-clip-terminal)">
{{backgrounds}}
    <g class="{{unique_id}}-matrix">
{{matrix}}
    </g>
  </g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Shot:
    """One image: its name, its title, and the submission to check."""

    name: str
    title: str
    source: str

    @property
    def path(self) -> Path:
        """The path of the image."""
        return FOLDER / f"{self.name}.svg"


def shots() -> Iterator[Shot]:
    """Yield the images: a pass, a recognized mistake, and an error."""
    right, unscaled = (
        (SAMPLES / name / f"{EXERCISE}.py").read_text() for name in ("correct", "unscaled")
    )
    yield Shot("check-pass", "etude check: a submission that passes", right)
    yield Shot("check-fail", "etude check: attention weights without their scale", unscaled)
    yield Shot("check-crash", "etude check: a transpose is missing", NO_TRANSPOSE)


def shown(shot: Shot) -> str:
    """Run the command in a terminal, and return its output after the command line."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "solution.py").write_text(shot.source)
        words = ["check", EXERCISE, "solution.py"]
        typed = f"\x1b[2m$\x1b[0m \x1b[1metude {' '.join(words)}\x1b[0m\n"
        return typed + _in_terminal([sys.executable, "-m", "grader.cli", *words], folder)


def _in_terminal(command: list[str], folder: str) -> str:
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    with subprocess.Popen(  # noqa: S603  our own command
        command, cwd=folder, env=_environment(folder), stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        written = b"".join(iter(lambda: _read(own), b""))
    os.close(own)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {written.decode()}")
    return written.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    """Read the available output; reading a closed terminal raises an OSError."""
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""


def _environment(folder: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    paths = {"PYTHONPATH": os.fspath(ROOT), "ETUDE_DATA": os.path.join(folder, "data")}  # noqa: PTH118  both are text
    return {**kept, **paths, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}


def drawn(shot: Shot) -> str:
    """Draw the image as SVG."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123  a device
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(shown(shot)), soft_wrap=True)
    svg = console.export_svg(
        title="etude",
        theme=_THEME,
        code_format=_SVG.format(title=escape(shot.title)),
        unique_id=shot.name,
    )
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def words_of(svg: str) -> list[str]:
    """Return the lines of text in an image."""
    lines: dict[float, dict[float, str]] = {}
    for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):  # noqa: S314  our own
        place = float(element.get("y", "0"))
        text = (element.text or "").replace("\xa0", " ")
        lines.setdefault(place, {})[float(element.get("x", "0"))] = text
    joined = (
        "".join(text for _, text in sorted(line.items())) for _, line in sorted(lines.items())
    )
    return [" ".join(line.split()) for line in joined]


def main() -> None:
    """Write the images, or compare them with the current output."""
    for shot in shots():
        svg = drawn(shot)
        if "--check" not in sys.argv[1:]:
            FOLDER.mkdir(parents=True, exist_ok=True)
            shot.path.write_text(svg)
            continue
        there = words_of(shot.path.read_text()) if shot.path.exists() else []
        if there != words_of(svg):
            change = difflib.unified_diff(there, words_of(svg), shot.path.name, "now", lineterm="")
            raise SystemExit("\n".join([*change, "", "run scripts/screenshots.py, and look at it"]))


if __name__ == "__main__":
    main()
