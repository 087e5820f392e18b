"""Search for hidden content in public output: the page and the student edition.

It searches only for distinctive content: ids and descriptions of hidden tests, their longer lines
of code, numbers of several digits, and lines of the solution. Content that the public part of the
definition also has is not secret. It is found in any form: in HTML with tags between, escaped, in
base 64, or compressed.
"""

import base64
import contextlib
import html
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from grader.authoring.verify import check_names
from grader.authoring.verify.proof import ProofFinding
from grader.definitions.exercise import Exercise, Literals, LiteralValue, Seeded, TestCase
from grader.definitions.files import course_file
from grader.definitions.images import image_files
from grader.definitions.student_edition import student_text
from grader.errors import DefinitionError, EtudeError, GraderFault, Location
from grader.grading.diagnosis.input_values import parts
from grader.sandbox.confined_process import ConfinedProcess
from grader.sandbox.printable import inert
from grader.sandbox.process import Sandbox, open_sandbox

Render: TypeAlias = Callable[[Exercise, Sandbox | None], Iterable[tuple[str, bytes]]]
"""Renders a learner's view of one exercise as file names and bytes; the sandbox runs the solution
where a test shows its result.
"""

_MIN_TEXT_LENGTH: Final = 8  # characters of a distinctive id or description
_MIN_CODE_LENGTH: Final = 20  # characters of a distinctive line of code
_DIGITS: Final = 5  # digits of a distinctive number
_MAX_ENCODING_DEPTH: Final = 3  # nested encodings to unwrap
_MAX_BYTES: Final = 4 << 20  # largest view, in bytes
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/_-]{8,}={0,2}")
_ANY_HEADER: Final = 47  # the wbits of zlib for a gzip or zlib header with the largest window
_TAG: Final = re.compile(r"<[^>]*>")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_PERCENT: Final = re.compile(r"%([0-9a-fA-F]{2})")
_SPACE: Final = re.compile(r"\s+")
_NUMBER: Final = re.compile(r"\d+\.\d+|\d{5,}")


@dataclass(frozen=True, slots=True)
class Secret:
    """Content that must stay hidden."""

    description: str
    text: str
    where: Location
    is_data: bool = False  # True for numbers and code of a hidden test

    @property
    def folded_text(self) -> str:
        """The text for comparison: in lower case, with single spaces."""
        return _fold(self.text)


def find_leaks(exercise: Exercise, files: Iterable[tuple[str, bytes]]) -> Iterator[ProofFinding]:
    """Yield the distinct secrets of the full edition that occur in files."""
    secrets = list(find_secrets(exercise))
    for name, content in files:
        folded_views = [_fold(view) for view in render_views(content)]
        for secret in list(secrets):
            if any(secret.folded_text in view for view in folded_views):
                secrets.remove(secret)
                message = f"{name} shows {secret.description}: {secret.text}"
                yield ProofFinding.at(check_names.LEAKS, message, secret.where)


def find_secrets(exercise: Exercise) -> Iterator[Secret]:
    """Yield the content that would reveal hidden tests or the solution, without public content.

    Words count as public if any other text of the definition has them. Data and code of a hidden
    test count as public only if a visible test or the starter has them, since they would be a leak
    in a hint or in the instructions.
    """
    public_texts = [exercise.starter]
    for name, definition in exercise.defines.items():
        public_texts.append(f"{name} {definition.reference or ''} {' '.join(definition.choices)}")
    for test in exercise.tests:
        if not test.hidden:
            public_texts += [f"{test.id} {test.description}", *_lines(test), *_find_numbers(test)]
    prose = [exercise.id, exercise.title, exercise.instructions, *exercise.concepts]
    prose += [*exercise.requires, *(hint.text for hint in exercise.hints)]
    public, public_prose = _fold("\n".join(public_texts)), _fold("\n".join(prose))
    texts: set[str] = set()
    for secret in _list_all_secrets(exercise):
        text = secret.folded_text
        is_public = text in public or (not secret.is_data and text in public_prose)
        if not is_public and text not in texts:
            texts.add(text)
            yield secret


def _list_all_secrets(exercise: Exercise) -> Iterator[Secret]:
    for test in exercise.tests:
        if not test.hidden:
            continue
        label, where = f"hidden test '{test.id}'", test.where
        for description, text in (("the id of", test.id), ("the description of", test.description)):
            if len(text) >= _MIN_TEXT_LENGTH:
                yield Secret(f"{description} {label}", text, where)
        for code in _lines(test):
            if len(code) >= _MIN_CODE_LENGTH:
                yield Secret(f"code of {label}", code, where, is_data=True)
        for number in _find_numbers(test):
            yield Secret(f"a number of {label}", number, where, is_data=True)
    for misconception in exercise.misconceptions:
        yield Secret(
            f"misconception '{misconception.id}'",
            misconception.feedback.strip(),
            misconception.where,
        )
    right = (exercise.solution, exercise.program, *(way.code for way in exercise.also_right))
    for code in _code("\n".join(right)):
        yield Secret("a line of the solution", code, exercise.where)


def _lines(test: TestCase) -> Iterator[str]:
    """Yield the lines of Python in a test."""
    if isinstance(test.given, Seeded):
        yield from _code(test.given.code)
    yield from _code(test.code)
    yield from (test.stdout or "").splitlines()


def _code(source: str) -> Iterator[str]:
    """Yield the distinctive lines of a program."""
    for line in source.splitlines():
        stripped = line.strip()
        if len(stripped) >= _MIN_CODE_LENGTH and not stripped.startswith(("#", "import ", "from ")):
            yield stripped


def _find_numbers(test: TestCase) -> Iterator[str]:
    """Yield the numbers of a test that have enough digits."""
    values: list[Any] = []
    if isinstance(test.given, Literals):
        values += test.given.values.values()
    if isinstance(test.expect, LiteralValue):
        values.append(test.expect.value)
    for _, part in parts(values):
        for number in np.ravel(part).tolist():
            text = repr(number)
            if sum(map(str.isdigit, text)) >= _DIGITS and "e" not in text:
                yield text.lstrip("-")
    for code in _lines(test):
        for text in _NUMBER.findall(code):
            if sum(map(str.isdigit, text)) >= _DIGITS:
                yield text


def _fold(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()


def render_views(data: bytes, depth: int = 0) -> Iterator[str]:
    """Yield a file's content as text: unchanged, and with all encodings removed."""
    text = data[:_MAX_BYTES].decode("utf-8", "replace")
    yield text
    without_tags = html.unescape(_TAG.sub("", text))
    yield without_tags
    yield html.unescape(_TAG.sub(" ", text))
    unescaped = _PERCENT.sub(_decode_character, _ESCAPE.sub(_decode_character, without_tags))
    if unescaped != without_tags:
        yield unescaped
    if depth == _MAX_ENCODING_DEPTH:
        return
    decoded = []
    for encoded in _BASE64.findall(data):
        standard = encoded.replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
        # ValueError: the text only resembles base 64.
        with contextlib.suppress(ValueError):
            decoded.append(base64.b64decode(standard + b"=" * (-len(standard) % 4)))
    # Compressed content, and everything that was in base 64 joined together.
    inner = [*filter(_is_packed, decoded), b"\n".join(filter(None, decoded))]
    if _is_packed(data):
        with contextlib.suppress(zlib.error):
            inner.append(zlib.decompressobj(wbits=_ANY_HEADER).decompress(data, _MAX_BYTES))
    for content in filter(None, inner):
        yield from render_views(content, depth + 1)


def _decode_character(match: re.Match[str]) -> str:
    return chr(int(next(filter(None, match.groups())), 16))


def _is_packed(data: bytes) -> bool:
    return data[:2] in (b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")


def begin_to_find_leaks(
    exercises: Sequence[Exercise], render: Render, readable: Sequence[Path] = ()
) -> Callable[[], Mapping[Path, Sequence[ProofFinding]]]:
    """Search for leaks in a separate process; return a function that waits for the findings.

    Pages show values that an author's code computes, so the process is confined.
    """

    def answer(_request: bytes, sandbox: Sandbox) -> bytes:
        leaks = {
            str(exercise.where.path): [*map(asdict, _find_leaks(exercise, render, sandbox))]
            for exercise in exercises
        }
        return json.dumps(leaks).encode()

    packages = {name for exercise in exercises for name in exercise.packages}
    # All files that a definition loads: courses with their references, and data files.
    own_courses = {each.course.where.path: each.course for each in exercises if each.course}
    references = [p.parent / each.reference for p, each in own_courses.items() if each.reference]
    paths = [exercise.where.path for exercise in exercises]
    data = [
        course_file(exercise.where.path).parent / name
        for exercise in exercises
        for name in (*exercise.files, *exercise.hidden_files)
    ]
    images = [image for path in paths for image in image_files(path)]
    files = [*readable, *paths, *own_courses, *references, *data, *images]
    process = ConfinedProcess(answer, partial(open_sandbox, packages=packages), files)
    process.send(b"search")

    def wait() -> Mapping[Path, Sequence[ProofFinding]]:
        try:
            with contextlib.closing(process):
                leaks = json.loads(process.receive())
        except (ValueError, GraderFault) as error:
            raise GraderFault(f"the search for leaks: {error}") from error
        return {
            Path(path): [
                ProofFinding(**{**data, "message": inert(data["message"])}) for data in findings
            ]
            for path, findings in leaks.items()
        }

    return wait


def _find_leaks(exercise: Exercise, render: Render, sandbox: Sandbox) -> Iterator[ProofFinding]:
    try:
        files = [("the student edition", student_text(exercise.where.path).encode())]
        files += render(exercise, sandbox)
    except DefinitionError as error:
        # The problems have lines of a text; lint reports the file's.
        for problem in error.problems:
            message = f"no page can be made: {problem.message}"
            yield ProofFinding.at(check_names.LEAKS, message, exercise.where)
        return
    except EtudeError as error:
        yield ProofFinding.at(check_names.LEAKS, f"no page can be made: {error}", exercise.where)
        return
    yield from find_leaks(exercise, files)
