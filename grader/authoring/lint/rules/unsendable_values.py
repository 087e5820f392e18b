"""Rules about values that cannot be sent into the sandbox: tables, arrays of objects."""

import ast
from collections.abc import Collection, Iterator
from typing import Final

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.wording import quote
from grader.errors import Problem

_NO_DTYPES: Final = frozenset(
    {"object_", "longdouble", "clongdouble", "float96", "float128", "complex192", "complex256"}
)
_TABLES: Final = frozenset(
    {
        "DataArray", "DataFrame", "Dataset", "Series", "Tensor", "concat", "csc_array",
        "csc_matrix", "csr_array", "csr_matrix", "date_range", "from_numpy", "read_csv",
        "read_excel", "read_json", "read_parquet", "read_table", "tensor", "to_datetime",
    }
)  # fmt: skip
_KEEP_TABLES: Final = frozenset(
    {
        "T", "abs", "agg", "apply", "assign", "astype", "copy", "cumsum", "describe", "drop",
        "drop_duplicates", "dropna", "fillna", "filter", "groupby", "head", "iloc", "join", "map",
        "loc", "mean", "melt", "merge", "pivot", "pivot_table", "query", "rename", "reset_index",
        "round", "sample", "set_index", "sort_index", "sort_values", "sum", "tail", "transform",
        "value_counts",
    }
)  # fmt: skip


@rule("ETU313", "error")
def unsendable_array(subject: LintedExercise) -> Iterator[Problem]:
    """A test makes arrays of objects or of long doubles, which cannot be sent into the sandbox."""
    for index in range(len(subject.exercise.tests)):
        for mode, steps in subject.list_python(index):
            for node in subject.walk_nodes(mode, *steps):
                match node:
                    case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name) if (
                        name in _NO_DTYPES
                    ):
                        description = f"an array of {name}"
                    case (
                        ast.keyword(arg="dtype", value=ast.Name(id="object"))
                        | ast.Call(
                            func=ast.Attribute(attr="astype"), args=[ast.Name(id="object"), *_]
                        )
                    ):
                        description = "an array of objects"
                    case _:
                        continue
                message = f"{description} cannot be sent into the sandbox"
                yield subject.in_text(message, node, *steps)  # type: ignore[arg-type]  # it has a place


@rule("ETU317", "error")
def unsendable_table(subject: LintedExercise) -> Iterator[Problem]:
    """An argument or a result is a table, which cannot cross the border of the sandbox."""
    exercise = subject.exercise
    crossing = [index for index, test in enumerate(exercise.tests) if not test.runs_in_submission]
    for index in crossing:
        for mode, steps in subject.list_python(index):
            for node in _find_tables(
                subject.tree(mode, *steps), steps[-1] == "given", exercise.defines
            ):
                message = "a table cannot be sent into the sandbox; send arrays, lists or dicts"
                yield subject.in_text(message, node, *steps)
    for function in subject.walk_nodes("exec", "solution") if crossing else ():
        if isinstance(function, ast.FunctionDef) and function.name in exercise.defines:
            tables = _tables_in(function)
            for inner in ast.walk(function):
                if isinstance(inner, ast.Return) and inner.value and _is_table(inner.value, tables):
                    message = (
                        f"{quote(function.name)} returns a table, which no test can get out of the "
                        "sandbox; return arrays, lists or dicts"
                    )
                    yield subject.in_text(message, inner.value, "solution")


def _find_tables(
    tree: ast.AST | None, is_given: bool, defined: Collection[str]
) -> Iterator[ast.expr]:
    """Yield the tables among a test's inputs, or passed to the submission."""
    if tree is None:
        return
    tables = _tables_in(tree)
    for node in ast.walk(tree):
        sent: list[ast.expr] = []
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                sent = [value] if is_given and not name.startswith("_") else []
            case ast.Call(func=ast.Name(id=name), args=args, keywords=words) if name in defined:
                sent = [*args, *(word.value for word in words)]
        yield from (argument for argument in sent if _is_table(argument, tables))


def _tables_in(tree: ast.AST) -> set[str]:
    """Return the names that are assigned tables."""
    tables = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                (tables.add if _is_table(value, tables) else tables.discard)(name)
    return tables


def _is_table(node: ast.expr, tables: Collection[str]) -> bool:
    """Return whether an expression is a table, such as a DataFrame, or a slice of one."""
    match node:
        case ast.Name(id=name):
            return name in tables
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _TABLES:
            return True
        case (
            ast.Call(func=ast.Attribute(value=inner, attr=name))
            | ast.Attribute(value=inner, attr=name)
        ):
            return name in _KEEP_TABLES and _is_table(inner, tables)
        case ast.Subscript(value=inner):
            return _is_table(inner, tables)
        case ast.BinOp(left=left, right=right):
            return _is_table(left, tables) or _is_table(right, tables)
    return False
