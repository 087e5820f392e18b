"""Definition files written from drafts: YAML in the usual key order, with notes as comments."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from grader.authoring.sources.draft import NOTHING, Draft, DraftTest
from grader.authoring.sources.source_files import escape_controls
from grader.definitions.emit import emit
from grader.definitions.files import SUFFIXES, TRACK_FILE, id_in_name
from grader.definitions.yaml_source import MAX_DIGITS, ListNode, MappingNode, Node, Scalar, Style
from grader.errors import Location, UsageError
from grader.whole_files import find_mode, replace_file

_NOWHERE: Final = Location(Path())
_MAX_INTEGER: Final = 10**MAX_DIGITS
_KEYS_APART: Final = frozenset(
    {"instructions", "defines", "starter", "tests", "hints", "solution", "explanation"}
)


def format_definition(draft: Draft) -> str:
    """Return a draft as a definition's text, with its notes as comments at the top."""
    lines = [f"# Imported from {_join_lines(draft.origin)}"]
    if draft.notes:
        lines += ["#", "# Kept from the source, since the format has no place for it:"]
    for key, value in draft.notes:
        first, *rest = escape_controls(value.expandtabs(1), keep="\n").split("\n")
        lines.append(f"#   {_join_lines(key)}: {first}".rstrip())
        lines += [f"#       {line}".rstrip() for line in rest]
    lines.append("")
    defines: dict[str, dict[str, Any]] = {}
    for name, kind in draft.defines.items():
        about: dict[str, Any] = {"kind": kind} if kind != "function" else {}
        if operators := draft.operators.get(name):
            about["operators"] = operators
        defines[name] = about if draft.kind != "predict" else {}
    entries = {
        "id": draft.id,
        "title": draft.title,
        "kind": draft.kind,
        "difficulty": draft.difficulty,
        "xp": draft.xp,
        **({"concepts": draft.concepts} if draft.concepts else {}),
        "instructions": draft.instructions,
        "defines": defines,
        "starter": draft.starter,
        "tests": [*map(_list_test_entries, draft.tests)],
        **({"hints": draft.hints} if draft.hints else {}),
        "solution": draft.solution,
        "explanation": draft.explanation,
    }
    for line in format_yaml(entries).split("\n"):
        if line.split(":")[0] in _KEYS_APART:
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def correct_tests(draft: Draft, printed: Mapping[str, str], changing: Collection[str]) -> bool:
    """Make tests expect the solution's behaviour; return whether any test changed.

    Args:
        printed: The corrected output of each test.
        changing: The tests that must allow changed arguments.
    """
    for test in draft.tests:
        if test.id in printed:
            draft.repairs.append(
                f"test '{test.id}': the expected output is written as it is printed: "
                f"{test.stdout} -> {printed[test.id]}"
            )
            test.stdout = printed[test.id]
        if test.id in changing:
            test.keep_inputs = False
            draft.remarks.append(
                f"the solution changes an argument in test '{test.id}', which allows it: "
                "`keep_inputs: false`"
            )
    return bool(printed or changing)


def _join_lines(text: str) -> str:
    """Keep a name on one line, since text after a line break would not be a comment."""
    return escape_controls(" ".join(text.split()))


def _list_test_entries(test: DraftTest) -> dict[str, Any]:
    entries: dict[str, Any] = {"id": test.id}
    if test.description:
        entries["description"] = test.description
    if test.is_hidden:
        entries["hidden"] = True
    if test.points not in (None, 1):
        entries["points"] = test.points
    if test.given:
        entries["given"] = {name: quote_texts(value) for name, value in test.given.items()}
    entries[test.key] = test.code
    if test.stdout is not None and test.key == "run":
        entries["stdout"] = test.stdout
    if test.expect is not NOTHING:
        entries["expect"] = quote_texts(test.expect)
    if test.key == "call" or not test.keep_inputs:
        # The source does not check its inputs, so programs that pass there should pass here.
        entries["keep_inputs"] = False
    return entries


def format_yaml(entries: Mapping[str, Any]) -> str:
    """Return plain data as YAML; texts are quoted only where YAML would misread them."""
    root = _node(entries, "plain")
    assert isinstance(root, MappingNode)  # entries is a mapping
    return emit(root)


def quote_texts(value: Any) -> Node:
    """Return a test's value as a node in which every text is quoted."""
    return _node(value, "quoted")


def _node(value: Any, style: Style) -> Node:
    if isinstance(value, (Scalar, MappingNode, ListNode)):
        return value
    if isinstance(value, (list, tuple)):
        return ListNode(_NOWHERE, tuple(_node(item, style) for item in value))
    if isinstance(value, dict):
        entries = ((_text(str(key), "plain"), _node(item, style)) for key, item in value.items())
        return MappingNode(_NOWHERE, tuple(entries))
    if isinstance(value, str):
        return _text(value, style)
    if isinstance(value, int) and abs(value) >= _MAX_INTEGER:
        return _text(str(value), "quoted")
    written = "null" if value is None else str(value).lower()
    if isinstance(value, float):
        written = repr(value).replace("inf", ".inf").replace("nan", ".nan")
    return Scalar(_NOWHERE, written, "plain", value)


def _text(text: str, style: Style) -> Scalar:
    clean = "".join(c for c in text if c != "\r" and not 0xD800 <= ord(c) <= 0xDFFF)  # noqa: PLR2004  surrogates
    return Scalar(_NOWHERE, clean, style, clean)


def plan_files(
    drafts: Sequence[Draft], into: Path, track: str | None, *, force: bool
) -> list[Path]:
    """Return the path of each draft, after checking that it may be written; nothing is written.

    Raises:
        UsageError: A file exists already, or the folder cannot be written to.
    """
    folder = into / track if track else into
    names = [
        f"{number:02}-{draft.id}.yaml" if track else f"{draft.id}.yaml"
        for number, draft in enumerate(drafts, 1)
    ]
    for path in {into, folder}:
        if os.path.lexists(path) and not path.is_dir():
            raise UsageError(f"{path} is not a folder")
    if folder != into and folder.is_symlink():
        raise UsageError(f"{folder} is a symbolic link; a track is a folder of its own")
    paths = [folder / name for name in names]
    if force:
        return paths
    there = folder.iterdir() if folder.is_dir() else ()
    present = {id_in_name(path): path for path in there if path.suffix in SUFFIXES}
    taken = [present[draft.id] for draft in drafts if draft.id in present]
    taken += [path for path in paths if path not in taken and os.path.lexists(path)]
    if track and os.path.lexists(folder / TRACK_FILE):
        taken.append(folder / TRACK_FILE)
    if taken:
        more = f" and {len(taken) - 1} more" if len(taken) > 1 else ""
        raise UsageError(f"{taken[0]}{more} is there already; --force writes over it")
    return paths


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, replacing an existing file or link.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode(), find_mode(path) or 0o644)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def format_track(name: str, drafts: Sequence[Draft], source: str) -> str:
    """Return the text of a `track.yaml` that lists the drafts in order."""
    entries = {
        "id": name,
        "title": name.replace("-", " ").capitalize(),
        "description": f"Imported from {_join_lines(source)}.",
        "exercises": [draft.id for draft in drafts],
    }
    return format_yaml(entries)
