"""A program of several modules in one text: a comment names the file of the lines after it.

    # etude file: attention.py
    from masks import causal
    # etude file: masks.py
    def causal(n): ...

The first file is the main module. Every line keeps its number in the text, so what is said of a
line holds for the text, and the trusted side says it of the file.
"""

import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

MARK = re.compile(r"# etude file: ([a-z_][a-z0-9_]*)\.py")


def split(source: str) -> dict[str, str]:
    """Return each module's text by its name, the main one first; none if there is only one.

    Lines of other modules are empty. Those before the first mark are the main module's, whose name
    is then empty: a notebook has none.
    """
    lines = source.split("\n")
    marks = [MARK.fullmatch(line.rstrip()) for line in lines]
    if not any(marks):
        return {}
    owners, owner = [], ""
    for mark in marks:
        owner = mark[1] if mark else owner
        owners.append(owner)
    return {
        name: "\n".join(
            line if owner == name else "" for line, owner in zip(lines, owners, strict=True)
        ).rstrip("\n")
        for name in dict.fromkeys(owners)
    }


class _Finder:
    """Finds the modules of the program that is loaded, before any other of the same name."""

    def __init__(self) -> None:
        self.code: dict[str, CodeType] = {}  # of the modules beside the main one

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.code:
            return None
        return ModuleSpec(name, self, origin=f"{name}.py")  # type: ignore[arg-type]  # has its two methods

    def create_module(self, _spec: ModuleSpec) -> None:
        """Have Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code[module.__name__], module.__dict__)  # noqa: S102  what this process is for


_finder = _Finder()
_of_program: set[str] = set()  # the names of its modules


def install(main: str, module: ModuleType, others: dict[str, CodeType]) -> None:
    """Let a program import its modules.

    Args:
        main: The name of the main module, if it has one.
        others: The code of the others, by their names.
    """
    remove()
    _finder.code = others
    sys.meta_path.insert(0, _finder)
    _of_program.update(others)
    if main:
        _of_program.add(main)
        sys.modules[main] = module


def remove() -> None:
    """Forget the modules of the program before."""
    for name in _of_program:
        sys.modules.pop(name, None)
    _of_program.clear()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def is_of_program(name: object) -> bool:
    """Return whether a module's name is one of the program's."""
    return isinstance(name, str) and name in _of_program
