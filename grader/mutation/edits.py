"""One change of a program: a node, its replacement, and the new source text."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any, TypeAlias

from grader.mutation.program import Program

_KEPT = re.compile(r"__kept_(\d+)__")
_NO_NAME_FITS = (ast.Starred, ast.Slice)
_SELF_CONTAINED = (
    ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set,
    ast.ListComp, ast.DictComp, ast.SetComp,
)  # fmt: skip
_NOT_COMPARED = frozenset({"ctx", "kind", "type_comment"})


@dataclass(frozen=True, slots=True)
class Edit:
    """A node of the program and its replacement, which may contain nodes of the program.

    A replacement by `pass` deletes the statement.
    """

    node: ast.expr | ast.stmt
    replacement: ast.expr | ast.stmt


Find: TypeAlias = Callable[[Program, Any], Iterable[Edit]]


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of mistake, with a function that finds the places where a program can have it."""

    name: str
    mistake: str  # the mistake as a clause "as if ...", for learners; it shows no code
    kinds: tuple[type[ast.AST], ...]
    find: Find  # yields the possible edits of one node


def operator(*kinds: type[ast.AST]) -> Callable[[Find], Operator]:
    """Make an operator of a function whose docstring begins with its mistake, in the past tense."""

    def decorate(find: Find) -> Operator:
        assert find.__doc__
        mistake = find.__doc__.partition("\n")[0].removesuffix(".")
        mistake = f"as if {mistake[0].lower()}{mistake[1:]}"
        return Operator(find.__name__.replace("_", "-"), mistake, kinds, find)

    return decorate


@dataclass(frozen=True, slots=True)
class EditedProgram:
    """A program after an edit.

    Two edits of one program have equal fingerprints if the results compile to the same code.
    """

    source: str
    fingerprint: str


class Editor:
    """A writer of edits into the text of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._chunks: dict[int, _Chunk] = {}

    def apply(self, edit: Edit) -> EditedProgram | None:
        """Write an edit into the text and leave the layout around it unchanged.

        Returns:
            The edited program, or None if it would not be valid Python or would compile to the same
            code as before.
        """
        top: ast.AST = edit.node
        while (above := self._program.parent(top)) is not self._program.tree:
            top = above
        assert isinstance(top, ast.stmt)  # every statement is part of a top-level one
        if id(top) not in self._chunks:
            self._chunks[id(top)] = _Chunk(self._program, top)
        chunk = self._chunks[id(top)]
        for start, end, text in _spell(self._program, edit):
            fingerprint = chunk.find_fingerprint(start, end, text, edit)
            if fingerprint is not None:
                break
        else:
            return None
        if fingerprint == chunk.fingerprint:
            return None
        source = self._program.source
        return EditedProgram(source[:start] + text + source[end:], fingerprint)


class _Chunk:
    """A statement at the top of the module, with those that share lines with it.

    Each chunk is parsed and compiled alone, so that an edit of a long program costs only the
    compilation of the chunk that it changes.
    """

    def __init__(self, program: Program, top: ast.stmt) -> None:
        self._source = program.source
        self._start, self._end = program.whole_lines(*program.span(top))
        self._body: list[ast.stmt] = []
        for statement in program.tree.body:
            start, end = program.whole_lines(*program.span(statement))
            if start < self._end and end > self._start:
                self._body.append(statement)
                self._start, self._end = min(self._start, start), max(self._end, end)
        text = self._source[self._start : self._end]
        self.fingerprint = self._fingerprint(ast.parse(text))

    def find_fingerprint(self, start: int, end: int, text: str, edit: Edit) -> str | None:
        """Return the chunk's fingerprint with a span replaced, or None if that is not the edit."""
        changed = self._source[self._start : start] + text + self._source[end : self._end]
        try:
            tree = ast.parse(changed)
            return self._fingerprint(tree) if _is_edit_of(self._body, tree.body, edit) else None
        except (SyntaxError, ValueError, RecursionError):
            return None

    def _fingerprint(self, tree: ast.Module) -> str:
        code = compile(tree, "<mutant>", "exec", dont_inherit=True)
        return f"{self._start}:{_describe_code(code)}"


def _spell(program: Program, edit: Edit) -> Iterator[tuple[int, int, str]]:
    """Yield ways to write an edit, the most readable first: a source span and its new text."""
    start, end = program.span(edit.node)
    if isinstance(edit.replacement, ast.Pass):
        first, last = program.whole_lines(start, end)
        rest = program.source[end:last].strip()
        if not program.source[first:start].strip() and (not rest or rest.startswith("#")):
            # Only a comment shares the statement's lines, so the whole lines can go.
            yield first, last, ""
    pattern, subtrees = _with_placeholders(program, edit.replacement)
    texts = [program.text(node) for node in subtrees]
    in_parentheses = [
        text if isinstance(node, _SELF_CONTAINED) else f"({text})"
        for node, text in zip(subtrees, texts, strict=True)
    ]
    bare = _KEPT.sub(lambda match: texts[int(match[1])], pattern)
    safe = _KEPT.sub(lambda match: in_parentheses[int(match[1])], pattern)
    unparsed = ast.unparse(edit.replacement)
    if bare.startswith("(") and isinstance(edit.replacement, ast.Tuple):
        yield start, end, bare[1:-1]
    for text in dict.fromkeys((bare, safe, f"({bare})", f"({safe})", unparsed, f"({unparsed})")):
        yield start, end, text


def _with_placeholders(program: Program, new: ast.AST) -> tuple[str, list[ast.expr]]:
    """Return source with numbered names for the program's expressions, and the expressions."""
    subtrees: list[ast.expr] = []

    def name_kept(node: ast.AST) -> ast.Name | None:
        if not isinstance(node, ast.expr) or node not in program or isinstance(node, _NO_NAME_FITS):
            return None
        subtrees.append(node)
        return ast.Name(f"__kept_{len(subtrees) - 1}__", ast.Load())

    return ast.unparse(copy_tree(new, name_kept)), subtrees


def copy_tree(node: Any, replace: Callable[[ast.AST], ast.AST | None]) -> Any:
    """Copy a node, or a list of nodes, with the replacements of those that have one."""
    if isinstance(node, list):
        return [copy_tree(item, replace) for item in node]
    if not isinstance(node, ast.AST):
        return node
    if (replacement := replace(node)) is not None:
        return replacement
    fields = {name: copy_tree(value, replace) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**fields), ast.Pass(lineno=1, col_offset=0))


def _is_edit_of(old: Any, new: Any, edit: Edit | None) -> bool:
    """Return whether applying the edit to `old` gives `new`."""
    if edit is not None and old is edit.node:
        # The edited node may itself be part of its replacement.
        old, edit = edit.replacement, None
    if isinstance(old, list) and isinstance(new, list):
        # A deleted statement is either replaced by `pass` or absent.
        if edit is not None and len(old) == len(new) + 1 and isinstance(edit.replacement, ast.Pass):
            old = [item for item in old if item is not edit.node]
        return len(old) == len(new) and all(
            _is_edit_of(one, other, edit) for one, other in zip(old, new, strict=True)
        )
    if type(old) is not type(new):
        return False
    if not isinstance(old, ast.AST):
        # NaN is not equal to itself, but has the same repr
        return bool(old == new) or repr(old) == repr(new)
    for name in old._fields:
        if name not in _NOT_COMPARED and not _is_edit_of(
            getattr(old, name, None), getattr(new, name, None), edit
        ):
            return False
    return True


def _describe_code(code: CodeType) -> str:
    """Describe everything about a code object except its line numbers."""
    constants = ",".join(
        _describe_code(constant) if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts
    )
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return f"({code.co_code.hex()}{names}{shape}[{constants}]{code.co_exceptiontable.hex()})"
