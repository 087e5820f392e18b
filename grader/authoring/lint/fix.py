"""Safe repairs: edits of a file's text that keep its meaning."""

import contextlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from grader.authoring.lint.rule import LintFinding
from grader.authoring.lint.rules.file_text import (
    SCHEMA_LINE,
    missing_final_newline,
    trailing_white_space,
)
from grader.definitions.files import TRACK_FILE
from grader.definitions.json_schemas import nearest_schema
from grader.definitions.yaml_source import MappingNode, Node, Scalar, parse_yaml
from grader.errors import DefinitionError, EtudeError, UsageError
from grader.whole_files import replace_file

_BOM: Final = "\ufeff"
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


def fix(findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Repair the fixable findings, and return those that were repaired.

    A file is replaced atomically, and only if its new content has the same keys and values. Edits
    that would change a value are skipped.

    Raises:
        UsageError: A file cannot be written.
    """
    by_file: dict[Path, list[LintFinding]] = {}
    for finding in findings:
        if finding.rule.is_fixable:
            by_file.setdefault(finding.where.path, []).append(finding)
    done: list[LintFinding] = []
    for path, own_findings in by_file.items():
        try:
            done += _fix_file(path, own_findings)
        except (OSError, ValueError, DefinitionError) as error:
            raise UsageError(f"{path} cannot be repaired: {error}") from error
    return done


def _fix_file(path: Path, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """Apply each safe edit to a file."""
    content = path.read_bytes()
    before = text = content.decode()
    meaning = _read_meaning(parse_yaml(path, content).root)
    done: list[LintFinding] = []
    # From last to first, because an edit moves the lines below it.
    last_first = sorted(findings, key=lambda finding: finding.where, reverse=True)
    for finding in last_first:
        edited = _repair(text, finding)
        # EtudeError: the edit would make the file invalid.
        with contextlib.suppress(EtudeError):
            if edited != text and _read_meaning(parse_yaml(path, edited.encode()).root) == meaning:
                text = edited
                done.insert(0, finding)
    if text != before:
        replace_file(path, text.encode(), path.stat().st_mode)
    return done


def _read_meaning(node: Node) -> object:
    """Return a node's content without its place."""
    match node:
        case Scalar(text=text, style=style):
            return text, style == "plain"
        case MappingNode(entries=entries):
            return [(_read_meaning(key), _read_meaning(value)) for key, value in entries]
    return [_read_meaning(item) for item in node.items]


def _repair(text: str, finding: LintFinding) -> str:
    """Return a text with a finding repaired, or unchanged if that is impossible."""
    path, line = finding.where.path, finding.where.line
    if finding.rule is trailing_white_space:
        lines = _LINE.findall(text)
        own_line = lines[line - 1]
        lines[line - 1] = own_line.rstrip() + own_line[len(own_line.rstrip("\r\n")) :]
        return "".join(lines)
    if finding.rule is missing_final_newline:
        return text if text.endswith("\n") else f"{text}\n"
    # Name the schema in the first line, if a folder above has it.
    kind = "track" if path.name == TRACK_FILE else "exercise"
    if SCHEMA_LINE in text or not (schema := nearest_schema(path.parent, kind)):
        return text
    bom = _BOM if text.startswith(_BOM) else ""
    return f"{bom}{SCHEMA_LINE}{schema}\n{text.removeprefix(_BOM)}"
