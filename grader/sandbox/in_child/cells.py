"""The cells of a notebook as one program, which has as many lines as the cells.

Syntax that only IPython understands is replaced by Python that binds the same names, or left out.
"""

import ast
import re
import symtable
import sys
import textwrap
import warnings
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

_MAGIC = re.compile(r"(?P<indent>\s*)(?P<target>[\w.,\s\[\]]+=\s*)?(?P<command>[%!].*|\?.*)")
_HELP = re.compile(r"(?P<indent>\s*)(?P<target>)(?P<command>[^#]*\?)\s*$")
_CALL = re.compile(
    r"(\s*(?:\w+\s*=\s*)?)get_ipython\(\)\.(run_line_magic|magic|system|getoutput)\((.*)\)\s*;?"
)
"""The form of a magic in a notebook that was exported as Python."""

_PROMPT = re.compile(r"\s*>>>")
_PROMPTS = re.compile(r"\s*(?:>>>|\.\.\.)[ \t]?")
_NUMBERED = re.compile(r" ?In \[\d+\]: |\s*\.{3,}: ?")
_OPTIONS = re.compile(r"(?:-[lsTD]\s*\S+\s+|-[rq]\s+|--no-raise-error\s+)*")
_RUN = frozenset({"time", "prun"})  # line magics that run the rest of the line as Python
_CELL_RUN = frozenset({"time", "prun", "capture", "etude"})  # cell magics of cells in Python
_WRITE = frozenset({"writefile", "file"})
_MODULE = re.compile(r"([a-z_][a-z0-9_]*)(?:\.py)?")
_STAR = re.compile(r"^from [\w.]+ import \*", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:async def|def|class) (\w+)", re.MULTILINE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OURS = "grader.notebook"
_OUR_FUNCTIONS = ["check", "hint", "progress", "task"]

_MAX_LINE_LENGTH = 80  # characters of an omitted line that are reported
_MAX_LEFT_OUT = 100  # omitted lines that are reported
DEFINITIONS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip
"""The statements that only import or define something."""

LeftOut = list[object]
"""The number of a cell, and the text of a line that was left out of it."""


def program(cells: list[list[object]]) -> "JoinedCells":
    """Join cells, given as number and source, into one program."""
    joined = JoinedCells()
    for number, source in cells:
        assert isinstance(number, int)  # for the type checker
        joined.add(number, str(source))
    return joined


def choose(cells: list[list[object]], names: list[str]) -> tuple[list[list[object]], list[str]]:
    """Choose the cells that define some names, and the cells that these need.

    If several cells define a name, the last one counts. A cell that Python cannot read is chosen if
    no other cell defines the name, so that its error is reported.

    Returns:
        The chosen cells, and the names that no cell defines.
    """
    last: dict[str, int] = {}  # the index of the last cell that defines each name
    failures: dict[str, int] = {}
    uses: list[set[str]] = []
    stars = {index for index, (_, source) in enumerate(cells) if _STAR.search(str(source))}
    for index, cell in enumerate(cells):
        joined = program([cell])
        try:
            table = symtable.symtable(joined.source, "<cell>", "exec")
        except (SyntaxError, ValueError, RecursionError):
            table = symtable.symtable("", "<cell>", "exec")
        defined = (each for each in table.get_symbols() if each.is_assigned() or each.is_imported())
        last.update((each.get_name(), index) for each in defined)
        if joined.unreadable:
            failures.update(dict.fromkeys(_DEFINITION.findall(str(cell[1])), index))
        uses.append(set(_globals(table)))
    waiting, chosen, places = list(names), set[int](), failures | last
    while waiting:
        needed = places.get(waiting.pop())
        if needed is not None and needed not in chosen:
            chosen.add(needed)
            waiting += uses[needed]
    selection = [cells[index] for index in sorted(chosen | stars)]
    return selection, [name for name in names if name not in last]


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the global names that a scope and its inner scopes read."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals(child)


@dataclass
class JoinedCells:
    """A notebook as one program."""

    texts: list[str] = field(default_factory=list)  # text of each cell
    left_out: list[LeftOut] = field(default_factory=list)
    unreadable: list[tuple[int, Exception]] = field(default_factory=list)  # cell number and error
    modules: dict[str, str] = field(default_factory=dict)  # text of the modules that cells write
    end: int = 0  # number of the last line

    @property
    def source(self) -> str:
        """The program's text, which has as many lines as all cells together."""
        return "\n".join(self.texts)

    def add(self, number: int, source: str) -> None:
        """Add a cell; leave it out if Python cannot read it."""
        lines = source.split("\n")
        count = len(lines)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # warnings are shown when the cell is run
                for line in self._as_python(lines):
                    if len(self.left_out) < _MAX_LEFT_OUT:
                        self.left_out.append([number, line[:_MAX_LINE_LENGTH]])
        except Exception as error:  # noqa: BLE001  also a RecursionError or MemoryError
            if isinstance(error, SyntaxError):
                error.lineno = self.end + (error.lineno or 1)
            self.unreadable.append((number, error))
            lines = [""] * count
        self.texts.append("\n".join(lines))
        self.end += count

    def _as_python(self, lines: list[str]) -> Iterator[str]:
        """Rewrite the lines of a cell in place, and yield the lines that are left out.

        Raises:
            SyntaxError: Python cannot read the cell.
        """
        first = next((number for number, line in enumerate(lines) if line.strip()), None)
        if first is None:
            return
        _take_prompts_off(lines, first)
        magic = lines[first]
        if not re.match(r"%%\w", magic):
            yield from self._without_magics(lines)
            return
        name, _, arguments = magic[2:].strip().partition(" ")
        lines[first] = ""
        if name in _CELL_RUN:
            yield from self._as_python(lines)
            names = [word for word in arguments.split() if word.isidentifier()]
            if name == "capture" and names:
                lines[first] = f"{names[0]} = None"
            return
        text = "\n".join(lines)
        lines[:] = [""] * len(lines)
        if name not in _WRITE or not self._write(arguments, text):
            yield magic.strip()

    def _write(self, words: str, text: str) -> bool:
        """Keep the text of the module that a cell writes; return whether it can be imported."""
        module = _module_name(words) if words.rstrip("'\"").endswith(".py") else ""
        if not module or module in sys.modules or module in sys.stdlib_module_names:
            return False
        ast.parse(text)
        earlier_text = (
            self.modules.get(module, "") if {"-a", "--append"} & set(words.split()) else ""
        )
        self.modules[module] = earlier_text + text.lstrip("\n")
        return True

    def _without_magics(self, lines: list[str]) -> Iterator[str]:
        """Replace each magic by Python, in place; yield the magics that are left out.

        Only Python can decide whether a line begins a statement, since `% 3)` may continue one. So
        magics are recognized where Python reports a syntax error.
        """
        lines[:] = map(_as_magic, lines)
        magics: list[tuple[int, re.Match[str], str]] = []
        while True:
            try:
                tree = ast.parse("\n".join(lines))
                break
            except SyntaxError as error:
                number = (error.lineno or 0) - 1
                line = lines[number] if 0 <= number < len(lines) else ""
                if _PROMPT.match(line):
                    plain = (_PROMPTS.sub("", each, count=1) for each in lines)
                    lines[:] = textwrap.dedent("\n".join(plain)).split("\n")
                    continue
                match = _MAGIC.match(line) or _HELP.match(line)
                if not match:
                    raise
                command, end = match["command"], number
                while command.endswith("\\") and end + 1 < len(lines):  # it continues
                    end += 1
                    command, lines[end] = command[:-1] + lines[end].strip(), ""
                magics.append((number, match, command))
                lines[number] = match["indent"] + _placeholder(match["target"], command)
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module == _OURS:
                _put_stubs(statement, lines)
        functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
        for number, match, command in magics:
            in_function = any(
                f.body[0].lineno <= number + 1 <= (f.end_lineno or 0) for f in functions
            )
            if python := self._replacement(match["target"], command, in_function=in_function):
                lines[number] = match["indent"] + python
            else:
                yield match[0].strip()

    def _replacement(self, target: str | None, command: str, *, in_function: bool) -> str:
        """Return Python that binds the same names as a magic, or "" if there is none.

        Inside a function, the statement of a magic does not bind names, since IPython runs it in
        another namespace.
        """
        statement = self._statement(command)
        try:
            is_value = isinstance(ast.parse(statement).body[0], ast.Expr)
            replacement = (target or "") + (
                statement if is_value or not target else f"None; {statement}"
            )
            ast.parse(replacement)
        except (SyntaxError, IndexError):
            return ""
        return replacement if is_value or not in_function else ""

    def _statement(self, command: str) -> str:
        """Return the Python statement that a magic runs, or ""."""
        name, _, arguments = command[1:].partition(" ")
        if command.startswith("%") and name in _RUN:
            lines = [_OPTIONS.sub("", arguments.strip(), count=1)]
            return "" if list(self._without_magics(lines)) else lines[0]
        module = _module_name(arguments)
        is_run = command.startswith("%run ") and module in self.modules
        return f"from {module} import *" if is_run else ""


def _put_stubs(statement: ast.ImportFrom, lines: list[str]) -> None:
    """Replace an import of `grader.notebook`, which the sandbox lacks, by empty functions."""
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    names = [alias.asname or alias.name for alias in statement.names]
    stubs = " = ".join(_OUR_FUNCTIONS if names == ["*"] else names)
    prefix = lines[first].encode()[: statement.col_offset].decode()
    suffix = lines[last].encode()[statement.end_col_offset :].decode()
    lines[first : last + 1] = [""] * (last - first + 1)
    lines[first] = f"{prefix}{stubs} = lambda *arguments, **options: None{suffix}"


def _placeholder(target: str | None, command: str) -> str:
    """Return Python that replaces a magic until the whole cell can be parsed."""
    return f"{target}{'[]' if command.startswith('!') else None}" if target else "pass"


def _module_name(arguments: str) -> str:
    """Return the name of the module whose file is the last argument, or ""."""
    last = arguments.split()[-1:]
    name = last[0].strip("'\"").removeprefix("./") if last else ""
    module = _MODULE.fullmatch(name)
    return module[1] if module else ""


def _as_magic(line: str) -> str:
    """Return a call of `get_ipython()` in the form of the original magic; other lines as is."""
    match = _CALL.fullmatch(line)
    try:
        command = " ".join(ast.literal_eval(f"[{match[3]}]")) if match else ""
    except (ValueError, TypeError, SyntaxError):
        return line
    escape = "!" if match and match[2] in {"system", "getoutput"} else "%"
    return f"{match[1]}{escape}{' '.join(command.split())}" if match else line


def _take_prompts_off(lines: list[str], first: int) -> None:
    """Remove the indentation of a cell, and IPython's prompts.

    Python's own prompt may be part of a string, so it is removed later, where parsing fails.
    """
    indent = lines[first][: -len(lines[first].lstrip())]
    lines[:] = [line.removeprefix(indent) for line in lines]
    if any(map(_NUMBERED.match, lines[first : first + 2])):
        lines[:] = [_NUMBERED.sub("", line, count=1) for line in lines]


def statements(source: str, ends: list[int]) -> Iterator[tuple[int, ast.stmt]]:
    """Yield the statements of a program, each with the index of its cell.

    Args:
        ends: The last line of each cell.
    """
    index = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(source).body
    for statement in body:
        while index < len(ends) - 1 and statement.lineno > ends[index]:
            index += 1
        yield index, statement


def run_to_its_end(coroutine: Coroutine[object, object, object]) -> None:
    """Run a cell that uses `await`, in the event loop that all cells share."""
    global _loop  # noqa: PLW0603  as in a notebook, tasks continue in later cells
    if _loop is None:
        _loop = _event_loop()
    _loop.run_until_complete(coroutine)


def _event_loop() -> "asyncio.AbstractEventLoop":
    """Return an event loop that waits only for time, since a sandbox has no sockets."""
    import asyncio  # slow to import, and few notebooks need it
    import time

    class Selector:
        def select(self, seconds: float | None) -> list[object]:
            time.sleep(seconds or 0)
            return []

    class Loop(asyncio.BaseEventLoop):
        _selector = Selector()

        def _process_events(self, _events: list[object]) -> None: ...
        def _write_to_self(self) -> None: ...

    return Loop()


_loop: "asyncio.AbstractEventLoop | None" = None
