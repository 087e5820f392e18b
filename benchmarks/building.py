"""Time to build a site of a thousand exercises: at first, again, and after a change."""

import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.commands import Usage, run
from benchmarks.result_tables import Aim, Row, Section
from benchmarks.workload import WrongVerdictError
from grader.definitions.collection import Collection
from grader.definitions.files import default_folder

_ETUDE: Final = str(Path(sys.executable).with_name("etude"))
_COPIES, _QUICK_COPIES = 12, 2
_AT_ONCE: Final = 3.0  # seconds

_NOTES: Final = """\
- {exercises} exercises and {lessons} lessons: the collection that comes with Etude, {copies} times
  under other ids.
- at first: the cache is empty. Definitions are read, and lessons and the misconceptions of every
  exercise run.
- one copy: the same for the collection as it is.
- wall: seconds until the command ends. CPU: of the command and of all that it started.
"""


@dataclass(frozen=True, slots=True)
class _Place:
    """The folders of a collection's site and of its cache."""

    folder: Path

    @property
    def exercises(self) -> Path:
        return self.folder / "exercises"

    def build(self) -> Usage:
        """Build the site, into the folder of the build before."""
        words = ("site", "build", "--exercises", "exercises", "--output", "site")
        usage = run((_ETUDE, *words), self.folder, {"XDG_CACHE_HOME": str(self.folder / "cache")})
        if usage.status != 0:
            raise WrongVerdictError(f"the site was not built:\n{usage.printed}")
        return usage


def measure(*, quick: bool) -> Section:
    """Build one site in every situation."""
    copies = _QUICK_COPIES if quick else _COPIES
    with tempfile.TemporaryDirectory() as name:
        found = {}
        for size, number in (("", copies), (", one copy", 1)):
            place = _Place(Path(name) / str(number))
            _copy(default_folder(), place.exercises, number)
            found[f"at first{size}"] = place.build()
            found[f"nothing changed{size}"] = _least([place.build() for _ in range(3)])
            changed = [_after_a_change(place, each) for each in range(3)]
            found[f"one text changed{size}"] = _least(changed)
    collection = Collection.load(default_folder())
    one_copy = len(collection.exercises)
    count = copies * one_copy
    aims = [
        Aim(f"site of {number:,}, one text changed", found[situation].wall, _AT_ONCE, "s")
        for number, situation in (
            (count, "one text changed"),
            (one_copy, "one text changed, one copy"),
        )
    ]
    notes = _NOTES.format(
        exercises=f"{count:,}",
        lessons=copies * sum(len(track.lessons) for track in collection.tracks),
        copies=copies,
    )
    rows = [_row(situation, usage) for situation, usage in found.items()]
    return Section("building: the site", ("build", "wall s", "CPU s"), rows, notes, aims)


def _row(situation: str, usage: Usage) -> Row:
    return situation, f"{usage.wall:.2f}", f"{usage.cpu:.2f}"


def _least(usages: list[Usage]) -> Usage:
    return min(usages, key=lambda usage: usage.wall)


def _after_a_change(place: _Place, number: int) -> Usage:
    """Change the text of one exercise a little, and build."""
    (path,) = place.exercises.glob("attention-0/13-*.yaml")
    begin = "instructions: |\n  "
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(begin, f"{begin}{number} ", 1), encoding="utf-8")
    return place.build()


def _copy(source: Path, target: Path, copies: int) -> None:
    """Copy a collection's tracks several times, each time under ids of its own."""
    tracks = Collection.load(source).tracks
    names: list[str] = [track.definition.id for track in tracks]
    names += [exercise.id for track in tracks for exercise in track.exercises]
    ids = "|".join(sorted(names, key=len, reverse=True))
    for track in tracks:
        for number in range(copies):
            _Copy(number, re.compile(rf"(?<![\w-])({ids})(?![\w-])")).of_track(
                source / track.definition.id, target / f"{track.definition.id}-{number}"
            )


@dataclass(frozen=True, slots=True)
class _Copy:
    """Writes the files of a track with a number after each id."""

    number: int
    ids: re.Pattern[str]

    def of_track(self, source: Path, target: Path) -> None:
        (target / "lessons").mkdir(parents=True)
        for path in source.glob("*.yaml"):
            text = path.read_text(encoding="utf-8")
            is_track = path.name == "track.yaml"
            name = path.name if is_track else f"{path.stem}-{self.number}.yaml"
            changed = self._track(text) if is_track else self._exercise(text)
            (target / name).write_text(changed, encoding="utf-8")
        for path in source.glob("lessons/*.md"):
            fence = re.compile(r"^```(?:exercise\n|break ).*?^```", re.MULTILINE | re.DOTALL)
            text = fence.sub(self._renamed, path.read_text(encoding="utf-8"))
            (target / "lessons" / path.name).write_text(text, encoding="utf-8")

    def _track(self, text: str) -> str:
        lists = re.compile(
            r"^id: .*|(?:requires|exercises):(?: \[[^\]]*\]|\n(?:  - [\w-]+\n)+)", re.MULTILINE
        )
        return lists.sub(self._renamed, text)

    def _exercise(self, text: str) -> str:
        head = re.compile(r"^(?:id|requires):.*?(?=^\w)", re.MULTILINE | re.DOTALL)
        return head.sub(self._renamed, text)

    def _renamed(self, found: re.Match[str]) -> str:
        return self.ids.sub(rf"\1-{self.number}", found[0])
