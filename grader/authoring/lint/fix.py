"""Safe repairs: edits of a file's text that leave what it says as it is."""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from grader.authoring.lint.rule import LintFinding
from grader.authoring.lint.rules.file_style import (
    SCHEMA_LINE,
    missing_final_newline,
    missing_schema_line,
    trailing_white_space,
)
from grader.definitions.files import TRACK_FILE
from grader.definitions.yaml_source import Mapping, Node, Scalar, read
from grader.errors import DefinitionError, EtudeError, UsageError

_Edit: TypeAlias = Callable[[str, LintFinding], str]

_BOM: Final = "\ufeff"
_SCHEMA_FOLDERS: Final = (".", "grader/definitions")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


def fix(findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Repair what can be repaired; return the findings that are gone.

    A file is replaced in one step, and only by one that says the same, key by key and text by text.
    An edit that would change a text is left out.

    Raises:
        UsageError: a file cannot be written.
    """
    by_file: dict[Path, list[LintFinding]] = {}
    for finding in findings:
        if finding.about.code in _EDITS:
            by_file.setdefault(finding.where.path, []).append(finding)
    return [done for path, found in by_file.items() for done in _fix_file(path, found)]


def _fix_file(path: Path, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Repair a file: all at once if that is safe, or else what is safe one by one."""
    try:
        before = path.read_bytes().decode()
        meaning = _meaning(read(path).root)
        with _beside(path) as draft:
            text, done = _repaired(before, findings, lambda t: _says(draft, t, meaning))
            if text != before:
                draft.write_bytes(text.encode())
                draft.chmod(path.stat().st_mode)
                draft.replace(path)
    except (OSError, ValueError, DefinitionError) as error:
        raise UsageError(f"{path} cannot be repaired: {error}") from error
    return done


def _repaired(
    text: str, findings: Sequence[LintFinding], is_safe: Callable[[str], bool]
) -> tuple[str, list[LintFinding]]:
    last_first = sorted(findings, key=lambda finding: finding.where, reverse=True)
    edited = text
    for finding in last_first:
        edited = _EDITS[finding.about.code](edited, finding)
    is_all_done = all(_EDITS[f.about.code](text, f) != text for f in findings)
    if is_all_done and is_safe(edited):
        return edited, list(findings)
    done = []
    for finding in last_first:
        edited = _EDITS[finding.about.code](text, finding)
        if edited != text and is_safe(edited):
            text = edited
            done.append(finding)
    return text, done[::-1]


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Give a new file beside another for a draft, and remove it unless it has been moved."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _says(draft: Path, text: str, meaning: object) -> bool:
    """Return whether a text, written to a file, says what it should."""
    draft.write_bytes(text.encode())
    try:
        return _meaning(read(draft).root) == meaning
    except EtudeError:
        return False


def _meaning(node: Node) -> object:
    """Return what a node says, without its place."""
    match node:
        case Scalar(text=text, style=style):
            return text, style == "plain"
        case Mapping(entries=entries):
            return [(_meaning(key), _meaning(value)) for key, value in entries]
    return [_meaning(item) for item in node.items]


def _strip_line(text: str, finding: LintFinding) -> str:
    """Remove the white space at the end of a line."""
    lines = _LINE.findall(text)
    line = lines[finding.where.line - 1]
    end = line[len(line.rstrip("\r\n")) :]
    lines[finding.where.line - 1] = line.rstrip() + end
    return "".join(lines)


def _end_last_line(text: str, _finding: LintFinding) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _name_schema(text: str, finding: LintFinding) -> str:
    """Put a line with the schema first; there is none to name if no folder above has it."""
    path = finding.where.path
    kind = "track" if path.name == TRACK_FILE else "exercise"
    folder = path.resolve().parent
    for above in (folder, *folder.parents):
        for below in _SCHEMA_FOLDERS:
            schema = above / below / f"{kind}.schema.json"
            if schema.is_file():
                bom = _BOM if text.startswith(_BOM) else ""
                relative = Path(os.path.relpath(schema, folder)).as_posix()
                return f"{bom}{SCHEMA_LINE}{relative}\n{text.removeprefix(_BOM)}"
    return text


_EDITS: Final[dict[str, _Edit]] = {
    trailing_white_space.about.code: _strip_line,
    missing_final_newline.about.code: _end_last_line,
    missing_schema_line.about.code: _name_schema,
}
