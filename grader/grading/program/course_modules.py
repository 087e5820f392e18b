"""The modules of a course's reference, made importable.

They are imported from the text in the definition, since a worker may not read the files of a
course.
"""

import linecache
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from grader.definitions.course import Course
from grader.errors import DefinitionError


def make_importable(course: Course | None) -> None:
    """Let imports find the reference of one course and of no other.

    Raises:
        DefinitionError: Another module of that name is already imported.
    """
    if course is None or not course.sources or _FINDER.course == course.digest:
        return
    for name, module in list(sys.modules.items()):
        if getattr(module, "__loader__", None) is _FINDER:
            del sys.modules[name]
    if course.reference in sys.modules:
        message = f"reference: another module is called {course.reference!r}; rename the folder"
        raise DefinitionError.at(course.where, message)
    _FINDER.set_course(course)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


class _CourseFinder(MetaPathFinder, InspectLoader):
    """A finder and loader of the modules of one course."""

    def __init__(self) -> None:
        self.course = ""  # digest of the course
        self._files: dict[str, str] = {}  # path of the file of each module
        self._sources: dict[str, str] = {}  # text of each file, by path

    def set_course(self, course: Course) -> None:
        """Replace the modules by those of a course."""
        self.course = course.digest
        self._files, self._sources = dict(course.modules), dict(course.sources)
        for path, source in self._sources.items():  # lets tracebacks quote the source
            linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the course, or None for any other module."""
        if fullname not in self._files:
            return None
        is_package = self.is_package(fullname)
        return ModuleSpec(fullname, self, origin=self._files[fullname], is_package=is_package)

    def is_package(self, fullname: str) -> bool:
        """Return whether a module is a package."""
        return self._files[fullname].endswith("/__init__.py")

    def get_source(self, fullname: str) -> str:
        """Return the text of a module."""
        return self._sources[self._files[fullname]]

    def exec_module(self, module: ModuleType) -> None:
        """Run a module."""
        code = compile(self.get_source(module.__name__), self._files[module.__name__], "exec")
        exec(code, vars(module))  # noqa: S102  the author's own code


_FINDER = _CourseFinder()
