"""Documents with exercises in them, each written as an object of JavaScript.

A document may be HTML: it is read without its markup, and each character knows its place in the
file.
"""

import html
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from grader.authoring.importing import indentation, source_files, typography
from grader.authoring.importing.draft import Draft, DraftTest, Repair, SourceDrafts
from grader.authoring.importing.jsobject import (
    MAX_LENGTH,
    Items,
    Object,
    Parsed,
    ParseError,
    Plain,
    Text,
    Value,
    parse_object,
)

SUFFIXES: Final = frozenset(
    {".txt", ".text", ".md", ".markdown", ".rst", ".html", ".htm", ".xhtml", ".js", ".mdx", ".json"}
)

_QUOTES: Final = typography.SINGLE + typography.DOUBLE + "`"
_MARK: Final = re.compile(
    rf"\btype[{_QUOTES}]?\s{{0,20}}:\s{{0,20}}[{_QUOTES}]exercise[{_QUOTES}]"
    rf"|\b(?:starterCode|testCases)[{_QUOTES}]?\s{{0,20}}:"
)
_KEYS: Final = ("starterCode", "solution", "instructions")  # one of them makes an exercise
_MAX_BLOCKS: Final = 500
_MAX_TRIES: Final = 2_000  # marks that are looked at
_WORK: Final = 32 << 20  # characters that are parsed in all, however often
_BRACES_BACK: Final = 6
_FAR: Final = 64 << 10
_MAX_SHOWN_NOTE: Final = 4_000
_MOST_XP: Final = 1_000_000
_BREAKS: Final = frozenset({"br", "p", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "section"})
_RAW: Final = frozenset({"script", "style", "textarea"})
_TAG_NAME: Final = re.compile(r"/?([a-zA-Z][a-zA-Z0-9-]*)")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_IS_HTML: Final = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html\b)", re.IGNORECASE | re.DOTALL
)


class SourceText:
    """A text to read, and where each of its characters stands in the file.

    Args:
        name: of the file, for messages.
        text: what is read.
        original: the file's own text.
        origins: for each character of `text` its place in `original`; None if they are the same.
    """

    def __init__(
        self, name: str, text: str, original: str = "", origins: Sequence[int] | None = None
    ) -> None:
        self.name = name
        self.text = text
        self._origins = origins
        original = original or text
        self._lines = [0, *(found.end() for found in re.finditer("\n", original))]
        self._end = len(original)

    def place(self, at: int) -> str:
        """Return the place of a character as `file:line:column`, both from one."""
        if self._origins is not None:
            at = self._origins[at] if at < len(self._origins) else self._end
        line = bisect_right(self._lines, at)
        return f"{self.name}:{line}:{at - self._lines[line - 1] + 1}"


def read_document(path: Path) -> SourceDrafts:
    """Find the exercises in a document.

    Raises:
        UnreadableError: it cannot be read.
    """
    original = source_files.read_text(path, source_files.MAX_DOCUMENT)
    return read_text(path.name, original)


def read_text(name: str, original: str) -> SourceDrafts:
    """Find the exercises in the text of a document; see `read_document`."""
    is_html = name.lower().endswith((".html", ".htm", ".xhtml")) or _IS_HTML.match(original[:4096])
    reading = without_markup(name, original) if is_html else SourceText(name, original)
    result = SourceDrafts()
    done = work = 0
    for tries, mark in enumerate(_MARK.finditer(reading.text)):
        if mark.start() < done:
            continue
        if tries == _MAX_TRIES or work > _WORK or len(result.drafts) == _MAX_BLOCKS:
            place = reading.place(mark.start())
            result.failures.append(f"{place}: too much to read; what follows was left out")
            break
        found, used, error = _block_around(reading.text, mark.start(), done)
        work += used
        if found is not None:
            done = found.end
            result.drafts.append(_Mapper(reading, found).draft())
        elif error is not None:
            place = reading.place(error.at)
            result.failures.append(f"{place}: this exercise cannot be read: {error.message}")
            done = max(error.at, mark.end())
    return result


def _block_around(text: str, mark: int, done: int) -> tuple[Parsed | None, int, ParseError | None]:
    """Parse the object around a mark, from one of the braces before it."""
    at = mark
    used = 0
    first_error: ParseError | None = None
    for _ in range(_BRACES_BACK):
        at = text.rfind("{", max(done, mark - _FAR), at)
        if at < 0:
            break
        try:
            found = parse_object(text, at)
        except ParseError as error:
            used += error.at - at + 1
            if error.at >= mark or first_error is None:
                first_error = first_error or error
            continue
        used += found.end - at
        kind = found.value.get("type")
        is_exercise = (
            kind.text == "exercise"
            if isinstance(kind, Text)
            else any(found.value.get(key) is not None for key in _KEYS)
        )
        if found.end > mark and is_exercise:
            return found, used, None
    return None, min(used, MAX_LENGTH * _BRACES_BACK), first_error


def without_markup(name: str, original: str) -> SourceText:
    """Take tags off an HTML document and put characters for its entities.

    What is in a `script` stays as it is. Time is linear in the length, whatever the text.
    """
    pieces: list[str] = []
    origins = array("L")

    def keep(text: str, begin: int) -> None:
        pieces.append(text)
        origins.extend(range(begin, begin + len(text)))

    at = 0
    while at < len(original):
        tag = _next(original, "<", at)
        _keep_unescaped(original, at, tag, pieces, origins)
        if tag == len(original):
            break
        word = _TAG_NAME.match(original, tag + 1)
        if original.startswith("<!--", tag):
            at = _next(original, "-->", tag) + 3
            continue
        if word is None and not original.startswith(("<!", "<?"), tag):
            keep("<", tag)
            at = tag + 1
            continue
        end = _next(original, ">", tag)
        if end == len(original):  # no tag is closed from here on
            _keep_unescaped(original, tag, end, pieces, origins)
            break
        at = end + 1
        element = word[1].lower() if word else ""
        if element in _BREAKS:
            pieces.append("\n")
            origins.append(tag)
        if element in _RAW and original[tag + 1] != "/":
            closing = re.compile(f"</{element}", re.IGNORECASE).search(original, at)
            stop = closing.start() if closing else len(original)
            keep(original[at:stop], at)
            at = stop
    return SourceText(name, "".join(pieces), original, origins)


def _keep_unescaped(
    original: str, begin: int, end: int, pieces: list[str], origins: "array[int]"
) -> None:
    at = begin
    for found in _ENTITY.finditer(original, begin, end):
        pieces.append(original[at : found.start()])
        origins.extend(range(at, found.start()))
        meant = html.unescape(found.group())
        pieces.append(meant)
        origins.extend([found.start()] * len(meant))
        at = found.end()
    pieces.append(original[at:end])
    origins.extend(range(at, end))


def _next(text: str, what: str, at: int) -> int:
    found = text.find(what, at)
    return len(text) if found < 0 else found


class _Mapper:
    """Makes a draft of an object, field by field."""

    def __init__(self, reading: SourceText, found: Parsed) -> None:
        self._reading = reading
        self._object = found.value
        self._draft = Draft(origin=reading.place(found.value.at))
        for each in found.mended:
            self._repair(each.what, each.at, each.before, each.after)
        self._fields: dict[str, Callable[[Value, str], None]] = {
            "id": self._head("id"),
            "slug": self._head("id"),
            "title": self._head("title"),
            "name": self._head("title"),
            "difficulty": self._head("difficulty"),
            "exerciseType": self._head("kind"),
            "instructions": self._prose("instructions"),
            "description": self._prose("instructions"),
            "prompt": self._prose("instructions"),
            "starterCode": self._code("starter"),
            "starter": self._code("starter"),
            "solution": self._code("solution"),
            "solutionCode": self._code("solution"),
            "solutionExplanation": self._prose("explanation"),
            "explanation": self._prose("explanation"),
            "xpReward": self._xp,
            "xp": self._xp,
            "hints": self._texts("hints"),
            "concepts": self._texts("concepts"),
            "tags": self._texts("concepts"),
            "testCases": self._tests,
            "tests": self._tests,
        }

    def draft(self) -> Draft:
        """Return the draft, with every field of the object somewhere in it."""
        seen: set[str] = set()
        for key, value in self._object.entries:
            if key == "type" and isinstance(value, Text) and value.text == "exercise":
                continue
            if key in self._fields and key not in seen:
                self._fields[key](value, key)
            else:
                self._note(key, value)
            seen.add(key)
        self._draft.concepts = list(dict.fromkeys(self._draft.concepts))
        return self._draft

    def _head(self, target: str) -> Callable[[Value, str], None]:
        def take(value: Value, key: str) -> None:
            is_word = isinstance(value, Plain) and isinstance(value.value, bool | None)
            is_free = not is_word and not getattr(self._draft, target)
            if isinstance(value, Text | Plain) and is_free:
                setattr(self._draft, target, " ".join(value.text.split()))
            else:
                self._note(key, value)

        return take

    def _prose(self, target: str) -> Callable[[Value, str], None]:
        def take(value: Value, key: str) -> None:
            if isinstance(value, Text) and not getattr(self._draft, target):
                setattr(self._draft, target, _ended(self._plain_prose(value)))
            else:
                self._note(key, value)

        return take

    def _code(self, target: str) -> Callable[[Value, str], None]:
        def take(value: Value, key: str) -> None:
            if isinstance(value, Text) and not getattr(self._draft, target):
                setattr(self._draft, target, _ended(self._mended_code(value, key)))
            else:
                self._note(key, value)

        return take

    def _xp(self, value: Value, key: str) -> None:
        number = value.value if isinstance(value, Plain) else None
        if isinstance(value, Text) and value.text.strip().isdecimal():
            number = int(value.text.strip()[:9])
        if isinstance(number, bool) or number is None or not 0 <= number <= _MOST_XP:
            self._note(key, value)
        elif number == int(number):
            self._draft.xp = int(number)
        else:
            self._note(key, value)

    def _texts(self, target: str) -> Callable[[Value, str], None]:
        def take(value: Value, key: str) -> None:
            items = value.items if isinstance(value, Items) else (value,)
            if not isinstance(value, Items | Text):
                self._note(key, value)
                return
            for number, item in enumerate(items, 1):
                if isinstance(item, Text):
                    getattr(self._draft, target).append(self._plain_prose(item))
                else:
                    self._note(f"{key}[{number}]", item)

        return take

    def _tests(self, value: Value, key: str) -> None:
        if not isinstance(value, Items) or self._draft.tests:
            self._note(key, value)
            return
        for number, item in enumerate(value.items, 1):
            if isinstance(item, Object):
                self._draft.tests.append(self._test(item, f"{key}[{number}]"))
            else:
                self._note(f"{key}[{number}]", item)

    def _test(self, value: Object, label: str) -> DraftTest:
        test = DraftTest("", "run", "", stdout="")
        seen: set[str] = set()
        for key, each in value.entries:
            match key, each:
                case _ if key in seen:
                    self._note(f"{label}.{key}", each)
                case "id" | "name", Text(text=text) if not test.id:
                    test.id = text
                case "input" | "code", Text() if not test.code:
                    test.code = _ended(self._mended_code(each, f"{label}.{key}"))
                case "expectedOutput" | "expected" | "output", Text():
                    test.stdout, changes = typography.plain_output(each.text)
                    self._text_repairs(each, changes)
                case "expectedOutput" | "expected" | "output", Plain(text=text):
                    test.stdout = text
                case "description", Text() if not test.description:
                    test.description = " ".join(self._plain_prose(each).split())
                case "hidden", Plain(value=bool(hidden)):
                    test.hidden = hidden
                case "points" | "weight", Plain(value=int(points)) if 0 <= points <= 1_000:  # noqa: PLR2004
                    test.points = int(points)
                case _:
                    self._note(f"{label}.{key}", each)
            seen.add(key)
        return test

    def _mended_code(self, value: Text, key: str) -> str:
        """Undo in a program what typesetting did, and give it its indentation back."""
        spaced, unseen = typography.plain_prose(value.text)  # before anything counts spaces
        self._text_repairs(value, unseen)
        gone = {at for at, _, after in unseen if not after}
        places = [place for at, place in enumerate(value.places) if at not in gone]
        code, changes = typography.plain_code(
            spaced, lambda text: typography.parses(indentation.reindent(text).code)
        )
        self._text_repairs(Text(value.at, spaced, places), changes)
        indented = indentation.reindent(code)
        if indented.changed:
            pairs = zip(code.split("\n"), indented.code.split("\n"), strict=False)
            changed = [(one, other) for one, other in pairs if one != other] or [("", "")]
            count = f"{len(changed)} lines, the first" if len(changed) > 1 else "1 line"
            what = f"the lost indentation of {key} ({count})"
            self._repair(what, value.at, *changed[0])
        if indented.guessed:
            self._draft.remarks.append(
                f"the indentation of {key} could not be told for certain; read it over"
            )
        return indented.code

    def _plain_prose(self, value: Text) -> str:
        text, changes = typography.plain_prose(value.text)
        self._text_repairs(value, changes)
        return text

    def _text_repairs(self, value: Text, changes: list[typography.Change]) -> None:
        for at, before, after in changes:
            begin = max(at - _AROUND, value.text.rfind("\n", 0, at) + 1)
            left = value.text[begin:at]
            right = value.text[at + 1 : at + 1 + _AROUND].split("\n")[0]
            mended = f"{typography.plain_output(left)[0]}{after}{typography.plain_output(right)[0]}"
            what = typography.name_of(before)
            self._repair(what, value.places[at], f"{left}{before}{right}", mended)

    def _repair(self, what: str, at: int, before: str, after: str) -> None:
        self._draft.repairs.append(Repair(what, self._reading.place(at), before, after))

    def _note(self, key: str, value: Value) -> None:
        place = self._reading.place(value.at)
        self._draft.notes.append((key, written(value)[:_MAX_SHOWN_NOTE]))
        self._draft.remarks.append(f"{place}: the format has no {key!r}; it is kept as a note")


_AROUND: Final = 12


def _ended(text: str) -> str:
    stripped = text.strip("\n")
    return f"{stripped}\n" if stripped.strip() else ""


def written(value: Value) -> str:
    """Write a value on one line, for a note."""
    match value:
        case Text(text=text):
            return text
        case Plain(text=text):
            return text
        case Items(items=items):
            return f"[{', '.join(map(written, items))}]"
        case Object(entries=entries):
            return f"{{{', '.join(f'{key}: {written(each)}' for key, each in entries)}}}"
