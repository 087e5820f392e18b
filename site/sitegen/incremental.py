"""The files of a site in pieces, each made from one definition, kept, and shared out.

A piece is filed under all that it is made from. So one that is found needs no check, and a build
with a store gives the same bytes as one without.
"""

import contextlib
import hashlib
import json
import multiprocessing
import struct
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import FileIO
from typing import Final, Protocol, TypeVar

from grader.errors import DefinitionError, Problem
from sitegen.digested_files import DigestedFile
from sitegen.search import SearchEntry

_WORTH_A_PROCESS: Final = 24  # pieces; fewer are made before a second process has begun
_NUMBER: Final = struct.Struct("<I")  # of an item that nobody has begun
_Item = TypeVar("_Item")

_FORK: Final = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Made:
    """The result of a piece: files by path, and their entries in the search."""

    files: Mapping[str, DigestedFile]
    entry: SearchEntry | None = None

    @classmethod
    def of(cls, contents: Mapping[str, bytes], entry: SearchEntry | None = None) -> "Made":
        """Return what was made just now."""
        return cls({path: DigestedFile.of(content) for path, content in contents.items()}, entry)


@dataclass(frozen=True, slots=True)
class Piece:
    """Files that are made together.

    Args:
        key: A digest of what they are made from; empty where that is not known, so that they are
            made every time.
        make: Makes them.
    """

    key: str
    make: Callable[[], Made]


class Store(Protocol):
    """Keeps what could be made again."""

    def find(self, key: str) -> bytes | None:
        """Return what is kept under a key."""

    def first_line(self, key: str) -> bytes | None:
        """Return what is kept under a key up to its first line feed, with it."""

    def keep(self, key: str, content: bytes) -> None:
        """Keep something; it may be lost without notice."""


class NoStore:
    """Keeps nothing."""

    def find(self, _key: str) -> bytes | None:
        """Return None."""
        return None

    def first_line(self, _key: str) -> bytes | None:
        """Return None."""
        return None

    def keep(self, _key: str, _content: bytes) -> None:
        """Do nothing."""


def key_of(*parts: str) -> str:
    """Return the digest of some texts, which differs as soon as one of them does."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode()).digest())
    return total.hexdigest()


def make_all(pieces: Sequence[Piece], store: Store, *, processes: int = 1) -> list[Made]:
    """Return what comes of all pieces, in their order.

    Args:
        pieces: What to make.
        store: Where it is looked for, and kept.
        processes: How many make what is missing; they meet in the store.

    Raises:
        DefinitionError: Some cannot be made, with the problems of all.
    """
    found = [_found(piece, store) for piece in pieces]
    missing = [piece for piece, known in zip(pieces, found, strict=True) if piece.key and not known]
    together(missing, lambda piece: _made(piece, store), processes=processes)
    made: list[Made] = []
    problems: list[Problem] = []
    for piece, known in zip(pieces, found, strict=True):
        try:
            made.append(known or _made(piece, store))
        except DefinitionError as error:
            problems += error.problems
    if problems:
        raise DefinitionError(problems)
    return made


def together(items: Sequence[_Item], do: Callable[[_Item], object], *, processes: int) -> None:
    """Do something to items that leaves a trace elsewhere, each process to the next that is left.

    What goes wrong is not told: it does so again when the trace is looked for. Of a few items none
    is touched, since a second process would come too late.
    """
    if processes < 2 or len(items) < _WORTH_A_PROCESS:  # noqa: PLR2004  one process is this one
        return
    with tempfile.TemporaryFile(buffering=0) as waiting:
        waiting.write(b"".join(_NUMBER.pack(number) for number in range(len(items))))
        waiting.seek(0)
        first, *others = [partial(_do_next, items, do, waiting) for _ in range(processes)]
        helpers = [_FORK.Process(target=work) for work in others]
        for helper in helpers:
            helper.start()
        first()
        for helper in helpers:
            helper.join()


def _do_next(items: Sequence[_Item], do: Callable[[_Item], object], waiting: FileIO) -> None:
    """Do it to one item after another. Forks share a file's position, so each number comes once."""
    while number := waiting.read(_NUMBER.size):
        with contextlib.suppress(Exception):
            do(items[_NUMBER.unpack(number)[0]])


def _found(piece: Piece, store: Store) -> Made | None:
    """Return what is kept of a piece; its contents are read when they are needed."""
    line = store.first_line(piece.key) if piece.key else None
    return _from_line(line, piece, store) if line else None


def _made(piece: Piece, store: Store) -> Made:
    if known := _found(piece, store):
        return known
    made = piece.make()
    if piece.key:
        store.keep(piece.key, _to_bytes(made))
    return made


def _to_bytes(made: Made) -> bytes:
    """Write what is known of the files, and the entry, in a line of JSON; the files after it."""
    files = {path: (file.size, file.digest) for path, file in made.files.items()}
    head = json.dumps({"files": files, "entry": made.entry and made.entry.data()})
    return b"\n".join((head.encode(), b"".join(each.content() for each in made.files.values())))


def _from_line(line: bytes, piece: Piece, store: Store) -> Made | None:
    """Read the line that was written first; None where that is damaged."""
    files = {}
    begin = len(line)
    try:
        head = json.loads(line)
        entry = head["entry"] and SearchEntry(**head["entry"])
        for path, (size, digest) in head["files"].items():
            place = slice(begin, begin + size)
            files[path] = DigestedFile(
                digest, size, partial(_content, piece, store, path, place, digest)
            )
            begin += size
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return Made(files, entry)


def _content(piece: Piece, store: Store, path: str, place: slice, digest: str) -> bytes:
    """Return the content of a file that is kept, or what it is made of, should that be damaged."""
    kept = (store.find(piece.key) or b"")[place]
    if hashlib.sha256(kept).hexdigest() == digest:
        return kept
    made = piece.make()
    store.keep(piece.key, _to_bytes(made))
    return made.files[path].content()
