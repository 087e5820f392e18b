"""The files of an assignment's folder: regular files, limited in number and size, without links."""

from pathlib import Path, PurePosixPath
from typing import Final

from grader.authoring.sources.python_parsing import error_in
from grader.authoring.sources.source_files import UnreadableError, entries, printable_name
from grader.errors import UsageError
from grader.safe_files import IrregularFileError, open_regular

_MAX_DATA: Final = 8 << 20  # limit for all files that are not Python, in bytes
_MAX_FILES: Final = 500
_MAX_FOLDER_DEPTH: Final = 4  # levels of subfolders
_MAX_DATA_FILE: Final = 2 << 20  # bytes of one data file
_NOT_SEARCHED: Final = frozenset(
    {"__pycache__", "node_modules", "venv", "env", "build", "dist", "site-packages"}
)


class FolderFiles:
    """The names of the files in a folder and its subfolders.

    Attributes:
        names: POSIX paths relative to the folder, sorted.
        notes: Sentences about files that were left out.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names: list[str] = []
        self.notes: list[str] = []
        self._walk(PurePosixPath(), 0)
        self.names.sort(key=lambda name: (name.count("/"), name))

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def find_path(self, name: str) -> Path:
        """Return the path of a file."""
        return self.root / name

    @property
    def python(self) -> list[str]:
        """The names of the Python files."""
        return [name for name in self.names if name.endswith(".py")]

    def read_data(self) -> dict[str, bytes]:
        """Read the small files that are not Python, and note those that are too large."""
        files: dict[str, bytes] = {}
        total = 0
        for name in self.names:
            if name.endswith((".py", ".pyc", ".ipynb", ".md", ".pdf", ".toml", ".cfg", ".ini")):
                continue
            try:
                with open_regular(self.find_path(name), below=self.root) as file:
                    content = file.read(_MAX_DATA_FILE + 1)
            except (OSError, ValueError, IrregularFileError):
                self.notes.append(f"{printable_name(name)} cannot be read; it was left out")
                continue
            total += len(content)
            if len(content) > _MAX_DATA_FILE or total > _MAX_DATA:
                total -= len(content)
                self.notes.append(f"{printable_name(name)} is too large; it was left out")
                continue
            files[name] = content
        return files

    def _walk(self, below: PurePosixPath, depth: int) -> None:
        here = self.root / below
        try:
            listed = entries(here)
        except UnreadableError as error:
            raise UsageError(str(error)) from error
        for entry in listed:
            name = below / entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                self.notes.append(f"{printable_name(name)} is a symbolic link; it was not followed")
            elif entry.is_dir():
                if depth < _MAX_FOLDER_DEPTH and entry.name not in _NOT_SEARCHED:
                    self._walk(name, depth + 1)
            elif entry.is_file():
                if len(self.names) == _MAX_FILES:
                    message = (
                        f"the folder has more than {_MAX_FILES} files; name the solution and "
                        "the tests with --solution and --tests"
                    )
                    raise error_in(self.root, message)
                self.names.append(str(name))
