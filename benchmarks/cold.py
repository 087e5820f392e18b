"""One file from the command line, nothing started before: `etude check` beside plain pytest."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks import material
from benchmarks.commands import Usage, run
from benchmarks.result_tables import Aim, Row, Section, ms
from benchmarks.workload import WrongVerdictError

_ETUDE = (str(Path(sys.executable).with_name("etude")), "check", "exercise.yaml", "submission.py")
_PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_plain.py")
# As it is for everybody who has not turned bytecode off: compiled once, then cached.
_CACHED = {"PYTHONDONTWRITEBYTECODE": ""}
_NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

_NOTES = """\
- The same twelve calls: `etude check` in the full sandbox, `python -m pytest` without any, once
  without installed plugins and once with those of this project's environment.
- wall: until the command ends. CPU: of the command and of all that it started.
- ratio: `etude check` / the row, the median over rounds in which all took turns; below 1, `etude
  check` is the faster one.
"""


@dataclass(frozen=True, slots=True)
class _Way:
    """A command, and what its runs took."""

    name: str
    command: Sequence[str]
    settings: Mapping[str, str]
    runs: list[Usage] = field(default_factory=list)

    @property
    def walls(self) -> list[float]:
        return [usage.wall for usage in self.runs]

    @property
    def cpus(self) -> list[float]:
        return [usage.cpu for usage in self.runs]


def measure(*, quick: bool) -> Section:
    """Run the commands in turns."""
    etude = _Way("etude check", _ETUDE, {})
    bare = _Way("pytest, no plugins", _PYTEST, _NO_PLUGINS)
    ways = [etude, bare, _Way("pytest, with plugins", _PYTEST, {})]
    _take_turns(ways, rounds=4 if quick else 20)
    rows = [_row(way, etude) for way in ways]
    aims = [
        Aim("cold: wall / pytest without plugins", _paired(etude.walls, bare.walls), 1.15),
        Aim("cold: CPU / pytest without plugins", _paired(etude.cpus, bare.cpus), 1.15),
    ]
    header = ("command", "min ms", "median ms", "min CPU ms", "median CPU ms", "ratio", "CPU ratio")
    return Section("cold: one file from the command line", header, rows, _NOTES, aims)


def _take_turns(ways: list[_Way], rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "exercise.yaml").write_text(material.exercise("row-weights"))
        (folder / "submission.py").write_text(material.source(0))
        (folder / "test_plain.py").write_text(material.PLAIN_TEST)
        kept = {"ETUDE_DATA": f"{name}/data", "XDG_CACHE_HOME": f"{name}/cache"}  # not the user's
        for number in range(-1, rounds):  # the first round fills the caches of disk and bytecode
            for way in ways if number % 2 else reversed(ways):
                usage = run(way.command, folder, {**_CACHED, **kept, **way.settings})
                if usage.status != 0:
                    raise WrongVerdictError(f"{way.name} did not pass:\n{usage.printed}")
                if number >= 0:
                    way.runs.append(usage)


def _row(way: _Way, etude: _Way) -> Row:
    walls = ms(min(way.walls)), ms(median(way.walls))
    cpus = ms(min(way.cpus)), ms(median(way.cpus))
    ratios = _paired(etude.walls, way.walls), _paired(etude.cpus, way.cpus)
    return (way.name, *walls, *cpus, *(f"{value:.2f}" for value in ratios))


def _paired(ours: list[float], theirs: list[float]) -> float:
    return median(a / b for a, b in zip(ours, theirs, strict=True))
