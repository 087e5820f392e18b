"""Documents that contain exercises as JavaScript objects.

Markup is removed from HTML documents first.
"""

import html
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from grader.authoring.sources import source_files
from grader.authoring.sources.draft import Draft, DraftTest, SourceDrafts
from grader.authoring.sources.indentation import reindent
from grader.authoring.sources.js_object import NoObjectError, ReadObject, read_object
from grader.authoring.sources.program_parts import parse_or_none
from grader.authoring.sources.typography import (
    DOUBLE,
    SINGLE,
    list_kinds,
    plain_code,
    plain_output,
    plain_prose,
)

SUFFIXES: Final = frozenset(
    {".txt", ".text", ".md", ".markdown", ".rst", ".html", ".htm", ".xhtml", ".js", ".mdx", ".json"}
)

_QUOTES: Final = f"{SINGLE}{DOUBLE}`"
_MARK: Final = re.compile(
    rf"\btype[{_QUOTES}]?\s{{0,20}}:\s{{0,20}}[{_QUOTES}]exercise[{_QUOTES}]"
    rf"|\b(?:starterCode|testCases)[{_QUOTES}]?\s{{0,20}}:"
)
# An object with one of these keys is an exercise.
_KEYS: Final = ("starterCode", "solution", "instructions")
# The type of each field, and its name in a draft.
_FIELDS: Final[dict[str, tuple[str, str]]] = {
    "id": ("word", "id"), "slug": ("word", "id"),
    "title": ("word", "title"), "name": ("word", "title"),
    "difficulty": ("word", "difficulty"), "exerciseType": ("word", "kind"),
    "instructions": ("prose", "instructions"), "description": ("prose", "instructions"),
    "prompt": ("prose", "instructions"),
    "starterCode": ("code", "starter"), "starter": ("code", "starter"),
    "solution": ("code", "solution"), "solutionCode": ("code", "solution"),
    "solutionExplanation": ("prose", "explanation"), "explanation": ("prose", "explanation"),
    "xpReward": ("number", "xp"), "xp": ("number", "xp"),
    "hints": ("texts", "hints"), "concepts": ("texts", "concepts"), "tags": ("texts", "concepts"),
    "testCases": ("tests", "tests"), "tests": ("tests", "tests"),
}  # fmt: skip
_MAX_BLOCKS: Final = 500
_MAX_TRIES: Final = 2_000  # most key marks examined
_WORK: Final = 32 << 20  # most characters parsed in total, including repetitions
_BRACES_BACK: Final = 6
# Characters searched before a mark for the object's opening brace.
_MAX_HEAD_LENGTH: Final = 64 << 10
_MAX_SHOWN_NOTE: Final = 4_000  # characters of a note kept in the file
_MAX_XP: Final = 1_000_000
_MAX_POINTS: Final = 1_000
_BREAKS: Final = frozenset({"br", "p", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "section"})
_IS_HTML: Final = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html\b)", re.IGNORECASE | re.DOTALL
)
_MARKUP: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<[!?][^>]*+>"
    r"|<(?P<raw>script|style|textarea)\b[^>]*+>(?P<kept>.*?)(?=</(?P=raw)|\Z)"
    r"|</?(?P<tag>[a-z][a-z0-9-]*)[^>]*+(?:>|(?P<open>\Z))"
    r"|&(?:\#[0-9]{1,8}|\#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});",
    re.IGNORECASE | re.DOTALL,
)


def read_document(path: Path) -> SourceDrafts:
    """Read the exercises in a document.

    Raises:
        UnreadableError: The document cannot be read.
    """
    return read_exercises(path.name, source_files.read_text(path, source_files.MAX_DOCUMENT))


def read_exercises(name: str, text: str) -> SourceDrafts:
    """Read the exercises in a document's text; see `read_document`."""
    is_html = name.lower().endswith((".html", ".htm", ".xhtml")) or _IS_HTML.match(text[:4096])
    text = without_markup(text) if is_html else text
    source_drafts = SourceDrafts()
    done = work = 0

    def locate(at: int) -> str:
        # Lines of the stripped text differ from those of the file.
        if is_html:
            return f"{name}: exercise {len(source_drafts.drafts) + 1}"
        return f"{name}:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"

    for tries, mark in enumerate(_MARK.finditer(text)):
        if mark.start() < done:
            continue
        if tries == _MAX_TRIES or work > _WORK or len(source_drafts.drafts) == _MAX_BLOCKS:
            where = locate(mark.start())
            source_drafts.failures.append(f"{where}: too much to read; what follows was left out")
            break
        begin, block, used = _read_block_around(text, mark.start(), done)
        work += used
        if isinstance(block, ReadObject):
            done = block.end
            source_drafts.drafts.append(_Mapper(locate(begin), block).draft())
        elif block is not None:
            where = locate(block.at)
            source_drafts.failures.append(f"{where}: this exercise cannot be read: {block.message}")
            done = max(block.at, mark.end())
    return source_drafts


def _read_block_around(
    text: str, mark: int, done: int
) -> tuple[int, ReadObject | NoObjectError | None, int]:
    """Read the object around a mark, starting from one of the braces before it.

    Returns:
        The index of its beginning; the object, or the error; the number of characters read.
    """
    at = mark
    used = 0
    first_error: NoObjectError | None = None
    for _ in range(_BRACES_BACK):
        at = text.rfind("{", max(done, mark - _MAX_HEAD_LENGTH), at)
        if at < 0:
            break
        try:
            block = read_object(text, at)
        except NoObjectError as error:
            used += error.reached - at + 1
            first_error = first_error or error
            continue
        used += block.end - at
        kind = block.value.get("type")
        is_exercise = kind == "exercise" if isinstance(kind, str) else block.value.keys() & {*_KEYS}
        if block.end > mark and is_exercise:
            return at, block, used
    return at, first_error, used


def without_markup(text: str) -> str:
    """Remove tags from an HTML document, and replace entities by characters.

    The content of `script` stays. The time is linear in the length of any text.
    """

    def plain(match: re.Match[str]) -> str:
        if match.group()[0] == "&":
            return html.unescape(match.group())
        if match["open"] is not None:  # a tag that is never closed
            return match.group()
        return match["kept"] or "\n" * ((match["tag"] or "").lower() in _BREAKS)

    return _MARKUP.sub(plain, text)


class _Mapper:
    """A maker of a draft from an object, field by field."""

    def __init__(self, origin: str, block: ReadObject) -> None:
        self._object = block.value
        self._draft = Draft(origin)
        for description, count in block.repairs.items():
            self._draft.repairs.append(f"{description}{f', {count} times' if count > 1 else ''}")

    def draft(self) -> Draft:
        """Return the draft, which uses or notes every field of the object."""
        for key, value in self._object.items():
            kind, target = _FIELDS.get(key, ("", ""))
            if not self._set_field(kind, target, key, value) and (key, value) != (
                "type",
                "exercise",
            ):
                self._note(value, key)
        self._draft.concepts = list(dict.fromkeys(self._draft.concepts))
        return self._draft

    def _set_field(self, kind: str, target: str, key: str, value: Any) -> bool:
        """Put a value into a field; return False if it does not fit or the field is filled."""
        draft = self._draft
        if not target or (kind != "texts" and getattr(draft, target)):
            return False
        if kind == "number" and isinstance(value, str) and value.strip().isdecimal():
            value = int(value.strip()[:9])
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind == "word" and (isinstance(value, str) or is_number):
            setattr(draft, target, " ".join(str(value).split()))
        elif kind == "number" and is_number and value in range(_MAX_XP + 1):
            draft.xp = int(value)
        elif kind == "prose" and isinstance(value, str):
            setattr(
                draft, target, _end_with_newline(self._undo_typesetting(plain_prose, value, key))
            )
        elif kind == "code" and isinstance(value, str):
            setattr(draft, target, _end_with_newline(self._code(value, key)))
        elif kind == "tests" and isinstance(value, list):
            self._add_items(dict, value, key, lambda *test: draft.tests.append(self._test(*test)))
        elif kind == "texts" and isinstance(value, (str, list)):
            texts: list[str] = getattr(draft, target)
            items = [value] if isinstance(value, str) else value
            self._add_items(
                str,
                items,
                key,
                lambda *text: texts.append(self._undo_typesetting(plain_prose, *text)),
            )
        else:
            return False
        return True

    def _add_items(
        self, kind: type, items: Sequence[Any], key: str, take: Callable[[Any, str], None]
    ) -> None:
        """Pass the items of a type to `take`, and keep the others as notes."""
        for number, item in enumerate(items, 1):
            (take if isinstance(item, kind) else self._note)(item, f"{key}[{number}]")

    def _test(self, value: dict[str, Any], label: str) -> DraftTest:
        test = DraftTest("", "run", "", stdout="")
        for key, item in value.items():
            at = f"{label}.{key}"
            match key, item:
                case "id" | "name", str() if not test.id:
                    test.id = item
                case "input" | "code", str() if not test.code:
                    test.code = _end_with_newline(self._code(item, at))
                case "expectedOutput" | "expected" | "output", str():
                    test.stdout = self._undo_typesetting(plain_output, item, at)
                case "expectedOutput" | "expected" | "output", int() | float() | None:
                    test.stdout = json.dumps(item)
                case "description", str() if not test.description:
                    test.description = " ".join(
                        self._undo_typesetting(plain_prose, item, at).split()
                    )
                case "hidden", bool():
                    test.is_hidden = item
                case "points" | "weight", int() if 0 <= item <= _MAX_POINTS:
                    test.points = int(item)
                case _:
                    self._note(item, at)
        return test

    def _code(self, text: str, key: str) -> str:
        """Undo typesetting in a program, and restore its indentation."""

        def plain(code: str) -> str:
            spaced = plain_prose(code)  # runs before spaces are counted
            return plain_code(spaced, lambda line: parse_or_none(reindent(line).code) is not None)

        typed = self._undo_typesetting(plain, text, key)
        indented = reindent(typed)
        if indented.is_changed:
            self._repair(f"{key}: lost indentation", typed, indented.code)
        if indented.is_guessed:
            self._draft.remarks.append(
                f"the indentation of {key} could not be told for certain; read it over"
            )
        return indented.code

    def _undo_typesetting(self, plain: Callable[[str], str], text: str, key: str) -> str:
        """Undo typesetting in a text, and report the changes."""
        typed = plain(text)
        if kinds := list_kinds(text, typed):
            self._repair(f"{key}: {' and '.join(kinds)}", text, typed)
        return typed

    def _repair(self, description: str, before: str, after: str) -> None:
        lines = zip(before.split("\n"), after.split("\n"), strict=False)
        changed = [(old, new) for old, new in lines if old != new] or [("", "")]
        count = f"{len(changed)} lines, the first" if len(changed) > 1 else "1 line"
        old_line, new_line = changed[0]
        self._draft.repairs.append(f"{description} ({count}): {old_line} -> {new_line}")

    def _note(self, value: object, key: str) -> None:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self._draft.notes.append((key, text[:_MAX_SHOWN_NOTE]))
        self._draft.remarks.append(f"the format has no {key!r}; it is kept as a note")


def _end_with_newline(text: str) -> str:
    stripped = text.strip("\n")
    return f"{stripped}\n" if stripped.strip() else ""
