"""Safe repairs: edits of a file's text that leave what it says as it is."""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
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
    done: list[LintFinding] = []
    for path, found in by_file.items():
        try:
            done += _fix_file(path, found)
        except (OSError, ValueError, DefinitionError) as error:
            raise UsageError(f"{path} cannot be repaired: {error}") from error
    return done


def _fix_file(path: Path, findings: Sequence[LintFinding]) -> Sequence[LintFinding]:
    """Repair a file: all at once if that is safe, or else what is safe one by one."""
    before = text = path.read_bytes().decode()
    meaning = _meaning(read(path).root)
    done: Sequence[LintFinding] = ()
    # From the last to the first: an edit moves what is below it.
    last_first = sorted(findings, key=lambda finding: finding.where, reverse=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=path.parent) as folder:
        draft = Path(folder, path.name)
        for group in (last_first, *([finding] for finding in last_first)):
            edited = text
            for finding in group:
                edited = _EDITS[finding.about.code](edited, finding)
            if any(_EDITS[each.about.code](text, each) == text for each in group):
                continue
            draft.write_bytes(edited.encode())
            with contextlib.suppress(EtudeError):  # the edit made it unreadable
                if _meaning(read(draft).root) == meaning:
                    text, done = edited, [*group[::-1], *done]
            if len(done) == len(findings):
                break
        if text != before:
            draft.write_bytes(text.encode())
            draft.chmod(path.stat().st_mode)
            draft.replace(path)
    return done


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
