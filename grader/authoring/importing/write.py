"""Making files of drafts: YAML in the usual order of keys, notes as comments."""

import contextlib
import math
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any, Final

from grader.authoring.importing.draft import NOTHING, Draft, DraftTest, Repair
from grader.definitions.emit import emit
from grader.definitions.files import SUFFIXES, TRACK_FILE, id_in_name
from grader.definitions.yaml_source import MAX_DIGITS, Mapping, Node, Scalar
from grader.definitions.yaml_source import Sequence as List
from grader.errors import Location, UsageError

_NOWHERE: Final = Location(Path())
_MAX_INTEGER: Final = 10**MAX_DIGITS
_KEYS_APART: Final = frozenset(
    {"instructions", "defines", "starter", "tests", "hints", "solution", "explanation"}
)


def definition_text(draft: Draft) -> str:
    """Return a draft as the text of a definition, its notes above it as comments."""
    lines = []
    entries: list[tuple[str, Node]] = [
        ("id", _word(draft.id)),
        ("title", _text(draft.title)),
        ("kind", _word(draft.kind)),
        ("difficulty", _word(draft.difficulty)),
        ("xp", _literal(draft.xp)),
    ]
    if draft.concepts:
        entries.append(("concepts", List(_NOWHERE, tuple(map(_text, draft.concepts)))))
    entries += [
        ("instructions", _text(draft.instructions)),
        ("defines", _defines(draft)),
        ("starter", _text(draft.starter)),
        ("tests", List(_NOWHERE, tuple(map(_test, draft.tests)))),
    ]
    if draft.hints:
        entries.append(("hints", List(_NOWHERE, tuple(map(_text, draft.hints)))))
    entries += [("solution", _text(draft.solution)), ("explanation", _text(draft.explanation))]
    for line in emit(_mapping(entries)).split("\n"):
        if line.split(":")[0] in _KEYS_APART:
            lines.append("")
        lines.append(line)
    return "".join(f"{line}\n" for line in _comments(draft)) + "\n".join(lines)


def write_as_printed(draft: Draft, printed: AnyMapping[str, str]) -> bool:
    """Put what is printed in place of the expected outputs of tests; return whether any is."""
    for test in draft.tests:
        if test.id in printed:
            where = f"test '{test.id}'"
            what = "the expected output is written as it is printed"
            draft.repairs.append(Repair(what, where, test.stdout or "", printed[test.id]))
            test.stdout = printed[test.id]
    return bool(printed)


def allow_changed_inputs(draft: Draft, tests: Collection[str]) -> bool:
    """Let tests pass a submission that changes its arguments; return whether there is any."""
    for test in draft.tests:
        if test.id in tests:
            test.keep_inputs = False
            draft.remarks.append(
                f"the solution changes an argument in test '{test.id}', which allows it: "
                "`keep_inputs: false`"
            )
    return bool(tests)


def _comments(draft: Draft) -> Iterator[str]:
    yield f"# Imported from {_one_line(draft.origin)}"
    if draft.notes:
        yield "#"
        yield "# Kept from the source, since the format has no place for it:"
        for key, value in draft.notes:
            first, *rest = _printable(value).split("\n")
            yield f"#   {_one_line(key)}: {first}".rstrip()
            yield from (f"#       {line}".rstrip() for line in rest)
    yield ""


def _one_line(text: str) -> str:
    """Keep a name on its line: what follows a line break would be no comment."""
    return " ".join(_printable(text).split())


def _printable(text: str) -> str:
    """Write characters that YAML allows in no file as escapes."""
    return "".join(
        c if c.isprintable() or c == "\n" else " " if c == "\t" else repr(c)[1:-1] for c in text
    )


def _defines(draft: Draft) -> Mapping:
    predicted = draft.kind == "predict"
    return _mapping(
        (name, _mapping([] if predicted else _definition(draft, name, kind)))
        for name, kind in draft.defines.items()
    )


def _definition(draft: Draft, name: str, kind: str) -> Iterator[tuple[str, Node]]:
    if kind != "function":
        yield "kind", _word(kind)
    if operators := draft.operators.get(name):
        yield "operators", List(_NOWHERE, tuple(map(_text, operators)))


def _test(test: DraftTest) -> Mapping:
    entries: list[tuple[str, Node]] = [("id", _word(test.id))]
    if test.description:
        entries.append(("description", _text(test.description)))
    if test.hidden:
        entries.append(("hidden", _literal(value=True)))
    if test.points != 1:
        entries.append(("points", _literal(test.points)))
    if test.given:
        entries.append(("given", _mapping((name, _literal(v)) for name, v in test.given.items())))
    entries.append((test.key, _text(test.code)))
    if test.stdout is not None and test.key == "run":
        entries.append(("stdout", _text(test.stdout)))
    if test.expect is not NOTHING:
        entries.append(("expect", _literal(test.expect)))
    if (
        test.key == "call" or not test.keep_inputs
    ):  # the source does not look, so what passes there passes here
        entries.append(("keep_inputs", _literal(value=False)))
    return _mapping(entries)


def _mapping(entries: Iterable[tuple[str, Node]]) -> Mapping:
    return Mapping(_NOWHERE, tuple((_word(key), value) for key, value in entries))


def _word(text: str) -> Scalar:
    return Scalar(_NOWHERE, text, "plain", text)


def _text(text: str) -> Scalar:
    """Return a text as it is; one that YAML would take for something else gets quotes."""
    clean = "".join(c for c in text if c != "\r" and not 0xD800 <= ord(c) <= 0xDFFF)  # noqa: PLR2004
    return Scalar(_NOWHERE, clean, "plain", clean)


def _literal(value: Any) -> Node:  # noqa: ANN401  any JSON
    if isinstance(value, (list, tuple)):
        return List(_NOWHERE, tuple(map(_literal, value)))
    if isinstance(value, dict):
        entries = ((_text(str(key)), _literal(each)) for key, each in value.items())
        return Mapping(_NOWHERE, tuple(entries))
    if isinstance(value, str) or (isinstance(value, int) and abs(value) >= _MAX_INTEGER):
        return Scalar(_NOWHERE, _text(str(value)).text, "quoted", str(value))
    return Scalar(_NOWHERE, _written(value), "plain", value)


def _written(value: float | bool | None) -> str:
    if value is None:
        return "null"
    return _float(value) if isinstance(value, float) else str(value).lower()


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    return repr(value)


def plan(drafts: Sequence[Draft], into: Path, track: str | None, *, force: bool) -> list[Path]:
    """Return the path of each draft, after checking that it may be written; nothing is written.

    Raises:
        UsageError: a file is there already, or the folder is no place to write to.
    """
    folder = into / track if track else into
    names = [
        f"{number:02}-{draft.id}.yaml" if track else f"{draft.id}.yaml"
        for number, draft in enumerate(drafts, 1)
    ]
    _refuse_links(into, folder)
    paths = [folder / name for name in names]
    if force:
        return paths
    present = {id_in_name(path): path for path in _definitions(folder)}
    taken = [present[draft.id] for draft in drafts if draft.id in present]
    taken += [path for path in paths if path not in taken and os.path.lexists(path)]
    if track and os.path.lexists(folder / TRACK_FILE):
        taken.append(folder / TRACK_FILE)
    if taken:
        more = f" and {len(taken) - 1} more" if len(taken) > 1 else ""
        raise UsageError(f"{taken[0]}{more} is there already; --force writes over it")
    return paths


def _refuse_links(into: Path, folder: Path) -> None:
    for path in {into, folder}:
        if os.path.lexists(path) and not path.is_dir():
            raise UsageError(f"{path} is no folder")
    if folder != into and folder.is_symlink():
        raise UsageError(f"{folder} is a symbolic link; a track is a folder of its own")


def _definitions(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if path.suffix in SUFFIXES]


def write_text(path: Path, text: str) -> None:
    """Write a file in one step, over what is there; a link there is replaced, not followed.

    Raises:
        UsageError: it cannot be written.
    """
    data = text.encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            file.write(data)
        try:
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(file.name).unlink()
            raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def track_text(name: str, drafts: Sequence[Draft], source: str) -> str:
    """Return the text of a `track.yaml` with the drafts in their order."""
    title = name.replace("-", " ").capitalize()
    return emit(
        _mapping(
            [
                ("id", _word(name)),
                ("title", _text(title)),
                ("description", _text(f"Imported from {_one_line(source)}.")),
                ("exercises", List(_NOWHERE, tuple(_word(draft.id) for draft in drafts))),
            ]
        )
    )
