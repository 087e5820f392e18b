"""Places in a definition's file, for messages that an editor can link."""

from functools import cached_property
from pathlib import Path

from grader.definitions.course_file import digest_in_course
from grader.definitions.exercise import Exercise, TestId
from grader.definitions.files import data_digests
from grader.definitions.yaml_source import Document, Scalar, read_yaml
from grader.errors import EtudeError, Location


class Locations:
    """Places in an exercise's file, which is read again when the first place is needed."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise

    @property
    def path(self) -> Path:
        """The file of the exercise."""
        return self._exercise.where.path

    def line(self, *steps: str | int) -> Location:
        """Return the place of a key."""
        return self._exercise.where if self._document is None else self._document.key(*steps)

    def test(self, name: TestId, key: str = "") -> Location:
        """Return the place of a test, or of a key in it."""
        for index, test in enumerate(self._exercise.tests):
            if test.id == name:
                return self.line("tests", index, key) if key else test.where
        return self.line("tests")

    def definition(self, name: str) -> Location:
        """Return the place of a name that submissions define."""
        return self._exercise.defines[name].where

    def misconception(self, name: str) -> Location:
        """Return the place of a misconception."""
        return next(m.where for m in self._exercise.misconceptions if m.id == name)

    def in_text(self, line: int, *steps: str | int) -> Location:
        """Return the place of a line, from one, of a text or of the text below its `code`."""
        if self._document is None:
            return self._exercise.where
        node = self._document.node(*self._document.text_steps("code", *steps))
        if isinstance(node, Scalar):
            return self._document.locate(node, line, 1)
        return node.where

    @cached_property
    def _document(self) -> Document | None:
        try:
            document = read_yaml(self.path)
        except EtudeError:
            return None  # the file has disappeared since
        exercise = self._exercise
        digests = [*data_digests(exercise.data), *data_digests(exercise.hidden_data)]
        digest = digest_in_course(document.digest, exercise.course, digests)
        return document if digest == self._exercise.digest else None
