"""The names that a submission defines, as its process reports them: cut to size and checked."""

from dataclasses import dataclass
from typing import Self

from grader.sandbox.printable import printable

_NAMES, _NAME_LENGTH = 200, 100
_SIGNATURE = 120


@dataclass(frozen=True, slots=True)
class DefinedName:
    """One of the names that an exercise asks for."""

    callable: bool
    kind: str  # of a value that is no function: its type's name
    line: int | None
    signature: str  # `(Q, K)`, or empty


@dataclass(frozen=True, slots=True)
class DefinedNames:
    """Every public callable of a submission, and the names asked for."""

    names: tuple[str, ...]
    defined: dict[str, DefinedName]
    packages: tuple[str, ...] = ()  # that it may import beside NumPy

    @classmethod
    def read(cls, facts: object, asked: list[str]) -> Self:
        """Return the names that the sandbox reports; an entry of another form counts as missing."""
        match facts:
            case {"names": list(names), "defined": dict(reported)}:
                pass
            case _:
                return cls((), {})
        defined = {}
        for name in asked:
            match reported.get(name):
                case {"callable": bool(is_callable), "type": str(kind), **more}:
                    line, signature = more.get("line"), more.get("signature")
                    defined[name] = DefinedName(
                        is_callable,
                        printable(kind[:_NAME_LENGTH]),
                        line if type(line) is int and 0 < line < 1 << 20 else None,
                        printable(signature[:_SIGNATURE]) if type(signature) is str else "",
                    )
        texts = (name for name in names[:_NAMES] if type(name) is str)
        return cls(tuple(printable(name[:_NAME_LENGTH]) for name in texts), defined)
