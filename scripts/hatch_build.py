"""Build hook: a wheel carries exercises and courses as student editions, without what is hidden.

It carries `reference` as well, whose code answers most of those that name it: see SECURITY.md.

An editable install has no student edition: it reads the checkout's own exercises. The sdist is the
source and keeps the full definitions, so the wheel that is built from it is the same.
"""  # noqa: INP001  a script that hatchling loads by its path

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudentExercises(BuildHookInterface[Any]):
    """Writes the student edition into a folder of its own and has it included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files, before the wheel is put together."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)  # the project's own code, not what may be installed
        from grader.definitions.student import student_files  # noqa: PLC0415  needs the line above

        self._made = tempfile.TemporaryDirectory(prefix="etude-student-edition-")
        courses = sorted(path.parent for path in Path(self.root).glob("courses/*/course.yaml"))
        for folder in (Path(self.root, "exercises"), *courses):
            for name, content in student_files(folder):
                path = Path(self._made.name, folder.relative_to(self.root), name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        build_data["force_include"][self._made.name] = "grader/_content"

    def finalize(self, version: str, *_: object) -> None:
        """Take the folder away, after the wheel is written."""
        if version != "editable":
            self._made.cleanup()
