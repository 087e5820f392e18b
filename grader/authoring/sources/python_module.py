"""Plain Python modules with pytest or unittest tests, or with examples in docstrings."""

import ast
import doctest
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

from grader.authoring.sources.assignment import Assignment
from grader.authoring.sources.assignment_folder import is_test_file, load_python_folder
from grader.authoring.sources.draft import Draft, DraftTest, SourceDrafts
from grader.authoring.sources.program_parts import (
    ParsedProgram,
    find_kind,
    join,
    parse_or_none,
    read_program,
    rename_modules,
    used_names,
    with_empty_bodies,
)
from grader.authoring.sources.python_parsing import parse
from grader.authoring.sources.source_files import (
    MAX_FILE,
    UnreadableError,
    entries,
    printable_name,
    read_first_text,
    read_text,
)
from grader.authoring.sources.translate_tests import add_tests
from grader.errors import DefinitionError, EtudeError

TEST_FOLDERS = ("test", "tests")
"""The names of test folders beside a module."""

_UNCLEAR = ("solution", "solutions", "main", "__init__")
# An import has no option `--solution`.
_ADVICE = ("put it beside them under that name", "put each with its tests into a folder")


def has_tests(folder: Path) -> bool:
    """Return whether a folder, or a test folder in it, contains test files."""
    return any(is_test_file(entry.name) for entry in entries(folder)) or any(
        (folder / name).is_dir() and any(is_test_file(file.name) for file in entries(folder / name))
        for name in TEST_FOLDERS
    )


def read_tested_modules(folder: Path, tests: Sequence[Path] = ()) -> SourceDrafts:
    """Make a draft of the module or modules that the tests in a folder import.

    Raises:
        UnreadableError: There is no such module, or the choice is ambiguous.
    """
    places = (folder, *(folder / name for name in TEST_FOLDERS if (folder / name).is_dir()))
    files = [Path(entry.path) for at in places for entry in entries(at) if is_test_file(entry.name)]
    root = folder.absolute()
    # Tests import a package from outside of it.
    while (root / "__init__.py").is_file():
        root = root.parent
    try:
        draft = _make_draft(load_python_folder(root, tests=tests or files, advice=_ADVICE))
    except EtudeError as error:
        if tests or len(files) == 1:
            raise UnreadableError(str(error)) from error
        source_drafts = SourceDrafts()
        for path in files:
            try:
                source_drafts.add(read_tested_modules(folder, [path]))
            except UnreadableError as inner:
                source_drafts.failures.append(str(inner))
        return source_drafts
    text = read_first_text(folder, "instructions.md", "description.md", "README.md")
    draft.instructions = text or draft.instructions
    return SourceDrafts([draft])


def _make_draft(assignment: Assignment) -> Draft:
    path = PurePosixPath(assignment.solution)
    name = assignment.name if path.stem in _UNCLEAR else path.stem
    draft = Draft(origin=assignment.source, id=name, title=name.replace("_", " ").capitalize())
    own_source = assignment.modules[assignment.solution]
    beside = {
        PurePosixPath(at).stem: text
        for at, text in assignment.modules.items()
        if at != assignment.solution
    }
    front, own_source = _with_modules(own_source, beside)
    _set_programs(draft, own_source, assignment.starter, front)
    if front:
        draft.remarks.append("the modules that the solution imports stand in front of it now")
    names = {path.stem, ".".join(path.with_suffix("").parts)}
    add_tests(draft, [*assignment.tests.values()], names, beside)
    draft.remarks += assignment.notes
    for at in assignment.data:
        draft.remarks.append(
            f"{printable_name(at)} was left out: a course keeps data files in `data/`"
        )
    return draft


def _set_programs(draft: Draft, own_source: str, starter: str | None, front: str = "") -> None:
    """Set solution, starter and instructions, without the part that runs only as a script."""
    statements = (read_program(own_source) or ParsedProgram(())).statements
    if statements and statements[0].is_text:
        text = ast.get_docstring(ast.Module([statements[0].node], [])) or ""
        draft.instructions, statements = text.partition(">>>")[0], statements[1:]
    own_statements = [
        part for part in statements if not ast.unparse(part.node).startswith("if __name__")
    ]
    own_source = join(statement.source for statement in own_statements) or own_source
    draft.solution = join([front, own_source]) if front else own_source
    has_functions = any(statement.is_definition for statement in own_statements)
    stub = with_empty_bodies(own_source, values=not has_functions) if starter is None else starter
    draft.starter = join([front, stub]) if front else stub
    if starter is None:
        draft.remarks.append("there is no starter; it was made of the solution, its bodies emptied")


def _with_modules(
    source: str, beside: Mapping[str, str], taken: set[str] | None = None
) -> tuple[str, str]:
    """Return the folder's imported modules as one source, and the program without the imports."""
    taken = set() if taken is None else taken
    tree = parse_or_none(source) or ast.Module([], [])
    module_names = {
        alias.asname or alias.name: alias.name
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in beside
    }
    if rename_modules(tree, module_names):
        source = ast.unparse(tree)
    front: list[str] = []
    imports: list[str] = []
    aliases: list[ast.alias]
    for statement in (read_program(source) or ParsedProgram(())).statements:
        match statement.node:
            case ast.Import(names=[ast.alias(name=name)]) if name in beside:
                aliases = []
            case ast.ImportFrom(module=str(module), names=aliases) if (
                name := module.rpartition(".")[2]
            ) in beside:
                pass
            case _:
                imports.append(statement.source)
                continue
        if name not in taken:
            taken.add(name)
            front += _with_modules(beside[name], beside, taken)
        imports += [f"{a.asname} = {a.name}" for a in aliases if a.asname not in (None, a.name)]
    return join(filter(None, front)), join(imports) if front or taken else source


def read_module(path: Path) -> SourceDrafts:
    """Make a draft of a file, from the tests beside it or from its examples.

    Raises:
        UnreadableError: See `read_tested_modules` and `read_doctests`.
    """
    if is_test_file(path.name):
        return read_tested_modules(path.parent, [path])
    for name in (f"test_{path.stem}.py", f"{path.stem}_test.py"):
        if (path.parent / name).is_file():
            return read_tested_modules(path.parent, [path.parent / name])
    return read_doctests(path)


def read_doctests(path: Path) -> SourceDrafts:
    """Make a draft of a module with examples in docstrings; no drafts without examples.

    Raises:
        UnreadableError: The file cannot be read, or is not Python.
    """
    source = read_text(path, MAX_FILE)
    try:
        tree = parse(source, path)
    except DefinitionError as error:
        raise UnreadableError(str(error)) from error
    printers = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and "print" in used_names(ast.unparse(node))
    }
    draft = Draft(
        origin=printable_name(path), id=path.stem, title=path.stem.replace("_", " ").capitalize()
    )
    _set_programs(draft, source, None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            text = ast.get_docstring(node) or ""
            name = getattr(node, "name", path.stem)
            try:
                examples = doctest.DocTestParser().get_examples(text)
            except ValueError as error:
                draft.remarks.append(f"{name}: its examples cannot be read: {error}")
                continue
            if test := _make_example_test(draft, name, examples, path.stem, printers):
                draft.tests.append(test)
    if not draft.tests:
        return SourceDrafts()
    solution = read_program(draft.solution) or ParsedProgram(())
    used = frozenset[str]().union(*(used_names(test.code) for test in draft.tests))
    names = sorted((solution.sets & used) - solution.imported_names)
    draft.defines = {name: find_kind(solution, name) for name in names}
    return SourceDrafts([draft])


def _make_example_test(
    draft: Draft,
    name: str,
    examples: Sequence[doctest.Example],
    module: str,
    printers: AbstractSet[str],
) -> DraftTest | None:
    """Make one test from the examples of a docstring and their output."""
    lines: list[str] = []
    printed = ""
    for example in examples:
        code, want = example.source.rstrip("\n"), example.want.replace("<BLANKLINE>", "")
        if code.startswith(f"from {module} import") or code == f"import {module}":
            continue
        is_skipped = doctest.SKIP in example.options
        if is_skipped or (example.exc_msg is None and "..." in want):
            draft.remarks.append(f"the result of an example of {name} is left out: {code[:60]!r}")
            want = ""  # the example runs only for those after it
        if is_skipped:
            continue
        if example.exc_msg is not None:
            inner = "\n".join(f"    {line}" for line in code.split("\n"))
            code = f"try:\n{inner}\nexcept Exception as error:\n"
            code += '    print(f"{type(error).__name__}: {error}")'
            want = example.exc_msg
        lines.append(_make_printing(code, printers) if want else code)
        printed += want
    if not printed:
        return None
    return DraftTest(name, "run", "\n".join(lines) + "\n", stdout=printed, description=name)


def _make_printing(code: str, printers: AbstractSet[str]) -> str:
    """Return an example that prints the value which Python would display."""
    match (parse_or_none(code) or ast.Module([], [])).body:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="print")))]:
            return code
        case [ast.Expr()] if used_names(code) & printers:
            return f"value = {code}\nif value is not None:\n    print(repr(value))"
        case [ast.Expr()]:
            return f"print(repr({code}))"
    return code
