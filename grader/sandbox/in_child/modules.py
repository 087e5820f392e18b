"""Programs of several modules in one text, in which a comment names the file of the next lines.

    # etude file: attention.py
    from masks import causal
    # etude file: masks.py
    def causal(n): ...

The first file is the main module. Every line keeps its number in the whole text. The trusted side
translates these numbers to lines of the files.
"""

import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

MARK = re.compile(r"# etude file: ([a-z_][a-z0-9_]*)\.py")


def split(source: str) -> dict[str, str]:
    """Return the text of each module by name, the main one first; empty for a single module.

    In each text, the lines of other modules are empty. Lines before the first mark belong to the
    main module, whose name is then empty, as for a notebook.
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


class _ModuleFinder:
    """A finder of the loaded program's modules, before other modules of the same name."""

    def __init__(self) -> None:
        self.code: dict[str, CodeType] = {}  # code of all modules except the main one

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.code:
            return None
        # Python needs only the two methods of a `Loader` that this class has.
        return ModuleSpec(name, self, origin=f"{name}.py")  # type: ignore[arg-type]

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code[module.__name__], module.__dict__)  # noqa: S102  in a sandbox


_finder = _ModuleFinder()
_of_program: set[str] = set()  # names of the loaded program's modules


def install(main: str, module: ModuleType, others: dict[str, CodeType]) -> None:
    """Make the modules of a program importable.

    Args:
        main: The name of the main module; may be empty.
        module: The main module.
        others: The code of the other modules, by name.
    """
    remove()
    _finder.code = others
    sys.meta_path.insert(0, _finder)
    _of_program.update(others)
    if main:
        _of_program.add(main)
        sys.modules[main] = module


def remove() -> None:
    """Remove the modules of the previous program."""
    for name in _of_program:
        sys.modules.pop(name, None)
    _of_program.clear()
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def is_of_program(name: object) -> bool:
    """Return whether a name is that of one of the program's modules."""
    return isinstance(name, str) and name in _of_program
