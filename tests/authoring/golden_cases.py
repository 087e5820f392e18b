"""Exercises for golden tests: one exercise, and for each case the lines that are changed in it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"


def apply_diff(text: str, diff: str) -> str:
    """Change the lines of a text; each hunk of the diff has to fit in exactly one place."""
    for hunk in diff.split("@@\n"):
        lines = [(line[:1], line[1:] or "\n") for line in hunk.splitlines(keepends=True)]
        old = "".join(line for mark, line in lines if mark in " \n-")
        new = "".join(line for mark, line in lines if mark in " \n+")
        assert text.count(old) == 1, f"this stands {text.count(old)} times in the exercise:\n{old}"
        text = text.replace(old, new.rstrip() if lines[-1][0] == "\\" else new)
    return text


@dataclass(frozen=True, slots=True)
class GoldenCases:
    """The cases of a folder: exercises and tracks as they are, or as a diff to `base`."""

    folder: Path
    base: str  # the name of a file

    def names(self) -> list[str]:
        """Return the names of all cases, without `base.yaml`."""
        return sorted(
            {path.stem for path in self.folder.iterdir() if path.suffix != ".txt"} - {"base"}
        )

    def text(self, name: str) -> str:
        """Return the text of an exercise, which is a file or made from a diff."""
        path = self.folder / f"{name}.yaml"
        if path.exists():
            return path.read_text("utf-8")
        base = (self.folder / self.base).read_text("utf-8")
        return apply_diff(base, path.with_suffix(".diff").read_text("utf-8"))

    def write(self, name: str, folder: Path) -> Path:
        """Write a case into a folder, and return the path of its exercise or track."""
        source = self.folder / name
        if not source.is_dir():
            path = folder / f"{name}.yaml"
            path.write_text(self.text(name), "utf-8")
            return path
        shutil.copytree(source, folder / name)
        for diff in (folder / name).glob("*.diff"):
            text = self.text(f"{name}/{diff.stem}")
            diff.rename(diff.with_suffix(".yaml")).write_text(text, "utf-8")
        return folder / name


LINT = GoldenCases(GOLDEN / "lint", "clean.yaml")
VERIFY = GoldenCases(GOLDEN / "verify", "base.yaml")
