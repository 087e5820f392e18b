"""Pages of the documentation that are generated from the code when the docs are built.

A Sphinx extension, named in `docs/conf.py`. It writes to `docs/reference/generated/`, which git
ignores.
"""  # noqa: INP001  Sphinx imports it by its name

import ast
import importlib
import inspect
import logging
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import click

import grader
import reference
from grader.authoring.verify.check_names import CHECKS
from grader.cli.main import etude
from grader.sandbox.limits import DEFAULT_LIMITS, HIGHEST_LIMITS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_METHODS: Final = {"Grader": ("grade", "submit", "close")}
_WIDTH: Final = 100  # columns of a command's help

# The constants that concern users, with their units; the others only matter to the sandbox.
_CONSTANTS: Final = {
    "grader.sandbox.limits": {
        "MAX_SOURCE_BYTES": "bytes", "MAX_RESULT_FACTOR": "times",
        "RESULT_ALLOWANCE_BYTES": "bytes", "DEFAULT_RESULT_BYTES": "bytes",
        "MAX_ANSWER_BYTES": "bytes", "AUTHOR_SECONDS": "s", "PREPARE_SECONDS": "s",
        "GRACE_SECONDS": "s", "WORKER_ADDRESS_SPACE_BYTES": "bytes",
    },
    "grader.grading.expected.budget": {"TIME_FLOOR": "s", "MEMORY_FLOOR": "bytes"},
}  # fmt: skip
_UNITS: Final = {
    "cpu_seconds": "s", "wall_seconds": "s", "address_space": "bytes", "stack": "bytes",
    "processes": "", "open_files": "", "file_size": "bytes", "tmpfs_bytes": "bytes",
    "tmpfs_files": "", "output": "bytes",
}  # fmt: skip
_KEYS: Final = {
    "cpu_seconds": "cpu_seconds", "wall_seconds": "wall_seconds",
    "address_space": "memory_mib", "output": "output_kib",
}  # fmt: skip


def setup(app: "Sphinx") -> dict[str, Any]:
    """Write the pages before Sphinx looks for its sources."""
    # A package of the theme prints all log records, and the server's commands import Alembic.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir)))
    return {"parallel_read_safe": True}


def write_pages(docs: Path) -> None:
    """Write each page whose text has changed."""
    folder = docs / "reference" / "generated"
    folder.mkdir(exist_ok=True)
    pages = {
        "command-line": command_line(),
        "limits": limits(),
        "proof-checks": proof_checks(),
        "python-api-names": api_names(),
        "reference-functions": reference_functions(),
    }
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def command_line() -> str:
    """Return the help of every command, as `--help` prints it."""
    context = click.Context(
        etude, info_name="etude", max_content_width=_WIDTH, terminal_width=_WIDTH
    )
    lines = [
        "# The command line",
        "",
        "Generated from `etude COMMAND --help`.",
        "",
        *("```text", etude.get_help(context), "```"),
    ]
    for words, help_text in _commands(etude, context):
        lines += ["", f"## {words}", "", "```text", help_text, "```"]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        below = click.Context(
            command, context, name, max_content_width=_WIDTH, terminal_width=_WIDTH
        )
        yield below.command_path, command.get_help(below)
        if isinstance(command, click.Group):
            yield from _commands(command, below)


def limits() -> str:
    """Return the limits with their numbers and reasons."""
    module = importlib.import_module("grader.sandbox.limits")
    reasons = _reasons(module)
    rows = []
    for name in (each.name for each in fields(DEFAULT_LIMITS)):
        usual = _number(getattr(DEFAULT_LIMITS, name), _UNITS[name])
        rows.append(f"| `{name}` | {_key(name)} | {usual} | {_most(name)} | {reasons[name]} |")
    others = [
        f"| `{name}` | {_number(getattr(importlib.import_module(path), name), unit)} "
        f"| {_reasons(importlib.import_module(path))[name]} |"
        for path, names in _CONSTANTS.items()
        for name, unit in names.items()
    ]
    return "\n".join(
        [
            "# Limits and floors",
            "",
            "Generated from `grader/sandbox/limits.py` and `grader/grading/expected/budget.py`.",
            "",
            "## Of one submission",
            "",
            "An exercise asks for others under its key `limits`.",
            "",
            "| limit | key | usual | most | why |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "## Others",
            "",
            "| number | value | meaning |",
            "|---|---|---|",
            *others,
            "",
            "## Tolerances",
            "",
            "[`tolerance`](../exercise-format.md#tolerance) has the usual numbers. For results of",
            "less than double precision they follow the dtype.",
            "",
        ]
    )


def _reasons(module: ModuleType) -> dict[str, str]:
    """Return the docstring below each constant and field of a module."""
    found: dict[str, str] = {}
    tree = ast.parse(inspect.getsource(module))
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for body in bodies:
        for node, after in pairwise(body):
            match node, after:
                case (
                    (ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)])),
                    ast.Expr(ast.Constant(str(text))),
                ):
                    found[name] = " ".join(text.split())
    return found


def _key(name: str) -> str:
    return f"`{_KEYS[name]}`" if name in _KEYS else ""


def _most(name: str) -> str:
    return _number(getattr(HIGHEST_LIMITS, name), _UNITS[name]) if name in _KEYS else ""


def _number(value: float, unit: str) -> str:
    if unit != "bytes":
        return f"{value:g} {unit}".strip()
    for name, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if value >= 1 << shift:
            return f"{value / (1 << shift):g} {name}"
    return f"{value:g} bytes"


def proof_checks() -> str:
    """Return the checks of `etude verify` by name."""
    lines = ["# The checks of a proof", "", "`etude verify` names them.", ""]
    lines += ["| check | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in CHECKS.items()]
    return "\n".join(lines) + "\n"


def reference_functions() -> str:
    """Return a page with every public function and class of `reference`, by module."""
    lines = [
        "# The functions of `reference`",
        "",
        "Generated from their docstrings. An exercise names one as `reference.module:function`.",
    ]
    for path in sorted(Path(str(reference.__file__)).parent.glob("[a-z]*.py")):
        module = importlib.import_module(f"reference.{path.stem}")
        lines += ["", f"## {module.__name__}", "", "```text", inspect.getdoc(module) or "", "```"]
        for name, found in vars(module).items():
            is_code = inspect.isfunction(found) or inspect.isclass(found)
            if is_code and found.__module__ == module.__name__ and not name.startswith("_"):
                lines += ["", f"### {name}", "", *_documented(name, found)]
    return "\n".join(lines) + "\n"


def api_names() -> str:
    """Return a page with every name that `grader` exports."""
    lines = [
        "# The names of the Python API",
        "",
        "Generated from their docstrings. [The Python API](../python-api.md) has examples.",
    ]
    for name in grader.__all__:
        found = getattr(grader, name)
        lines += ["", f"## {name}", "", *_documented(name, found)]
        for method in _METHODS.get(name, ()):
            label = f"{name}.{method}"
            lines += ["", f"### {label}", "", *_documented(label, getattr(found, method))]
    return "\n".join(lines) + "\n"


def _documented(name: str, found: Any) -> tuple[str, ...]:
    """Return the signature and the docstring as they stand in the code."""
    text = inspect.getdoc(found) or ""
    if not inspect.isfunction(found):
        return ("```text", text, "```")
    parameters = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in inspect.signature(found).parameters.values()
    ]
    signature = f"{name}{inspect.Signature(parameters)}"
    return ("```text", signature, "```", "", "```text", text, "```")
