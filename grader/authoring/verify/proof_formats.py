"""Proofs in the terminal, one line per exercise with its problems below, and in SARIF."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Column, Table
from rich.text import Text

from grader.authoring.sarif import SarifResult, make_log, make_uri
from grader.authoring.verify.check_names import CHECKS, MUTANTS, REJECTED, SOLUTION
from grader.authoring.verify.proof import Proof, ProofFinding
from grader.definitions.wording import plural

_STYLE = {"proven": "green", "not proven": "red", "invalid": "yellow", "fault": "yellow"}
_MARK = {"proven": "\u2713", "not proven": "\u2717", "invalid": "!", "fault": "!"}
_COLUMNS = ("", "exercise", "checks", "tests", "misconceptions", "mutants", "time")
_OTHER_RULES = {
    "definition": "The definition can be loaded.",
    "fault": "The grader can prove the exercise.",
}
_INDENT = 4  # columns of a diff's indentation
_MAX_LINES = 3  # lines of notes without `--verbose`
_INPUT_KINDS = ("zero", "negative", "infinite", "nan", "empty", "axis of length 1")


def print_proofs(console: Console, proofs: Mapping[Path, Proof], *, verbose: bool = False) -> None:
    """Print a table in a terminal, else plain lines; then the problems and a summary.

    Notes take at most three lines, or one line each in a collection, unless `verbose`.
    """
    if console.is_terminal:
        columns = [
            Column(n, justify="left" if n in ("", "exercise") else "right") for n in _COLUMNS
        ]
        table = Table(*columns, box=None, pad_edge=False, header_style="bold")
        for proof in proofs.values():
            mark, name, *cells = _cells(proof, is_short=True)
            table.add_row(Text(mark, _STYLE[proof.status]), Text(name), *cells)
        console.print(table)
    else:
        for proof in proofs.values():
            console.print(Text(" ".join(cell for cell in _cells(proof) if cell)), soft_wrap=True)
    for path, proof in proofs.items():
        for finding in proof.findings:
            _print_finding(console, path, finding, _STYLE[proof.status])
        if proof.skipped:
            until = "the solution passes" if proof.has_failed(SOLUTION) else "a test is hidden"
            message = f"{path}: not tried until {until}: {', '.join(proof.skipped)}"
            console.print(Text(message, "dim"), soft_wrap=True)
    _print_notes(console, proofs, verbose=verbose)
    proven, total = sum(proof.status == "proven" for proof in proofs.values()), len(proofs)
    share = "" if proven == total else f"{proven} of "
    style = "bold green" if proven == total else "bold red"
    console.print(Text(f"{share}{plural(total, 'exercise')} proven.", style=style))


def _print_notes(console: Console, proofs: Mapping[Path, Proof], *, verbose: bool) -> None:
    notes = [(path, note) for path, proof in proofs.items() for note in proof.notes]
    listing = notes if verbose else notes[: _MAX_LINES - 1]
    # Nearly every exercise has inputs that its tests never reach.
    if len(proofs) > 1 and not verbose:
        rare = [(path, note) for path, note in notes if note.check != MUTANTS]
        listing = [(path, replace(note, message=note.message.split(";")[0])) for path, note in rare]
    for path, note in listing:
        _print_finding(console, path, note, "dim", "note: ")
    if omitted := len(notes) - len(listing):
        console.print(f"{plural(omitted, 'note')} more: --verbose shows all.")
    for proof in proofs.values() if verbose or len(proofs) == 1 else ():
        if proof.reach.get("dtypes"):
            console.print(Text(f"{proof.exercise}: {describe_reach(proof.reach)}"), soft_wrap=True)


def describe_reach(reach: Mapping[str, Any]) -> str:
    """Return one line that says what the tests' inputs reach, and what they never reach."""
    met = [kind for kind in _INPUT_KINDS if reach[kind]]
    never = [kind for kind in _INPUT_KINDS if not reach[kind]]
    ends = [f"{reach[end]:.3g}" for end in ("smallest", "largest") if reach[end] is not None]
    parts = [f"inputs of size {' to '.join(dict.fromkeys(ends))}"] if ends else []
    parts += [", ".join(reach["dtypes"]), *(["also " + ", ".join(met)] if met else [])]
    parts += ["never " + ", ".join(never)] if never else []
    return "; ".join(parts)


def _cells(proof: Proof, *, is_short: bool = False) -> list[str]:
    """Return the mark, name and numbers of a proof."""
    if proof.status in ("invalid", "fault") or not proof.counts.tests:  # a track has no tests
        return [_MARK[proof.status], proof.exercise, proof.status, "", "", "", ""]
    counts = proof.counts
    passed = sum(not proof.has_failed(name) and name not in proof.skipped for name in CHECKS)
    equivalent = f" + {counts.equivalent}" if counts.equivalent else ""
    seconds = "known" if proof.cached else f"{proof.seconds:.1f} s"
    rejected = f"{counts.rejected}/{counts.misconceptions}"
    killed = f"{counts.killed}{equivalent}/{counts.mutants}"
    numbers = [
        (f"{passed}/{len(CHECKS)}", "checks"),
        (f"{counts.tests} ({counts.hidden} hidden)", "tests"),
        ("" if REJECTED in proof.skipped else rejected, "misconceptions"),
        ("" if MUTANTS in proof.skipped else killed, "mutants"),
    ]
    cells = [number if is_short or not number else f" {number} {noun}," for number, noun in numbers]
    return [_MARK[proof.status], proof.exercise, *cells, seconds]


def _print_finding(
    console: Console, path: Path, finding: ProofFinding, style: str, prefix: str = ""
) -> None:
    head = Text.assemble(
        f"{path}:{finding.line}:{finding.column}: ", (f"{prefix}{finding.check}", style), ": "
    )
    console.print(head.append(finding.message), soft_wrap=True)
    if not finding.diff:
        return
    if console.is_terminal:
        syntax = Syntax(finding.diff, "diff", background_color="default")
        console.print(Padding(syntax, (0, 0, 0, _INDENT)))
    else:
        for line in finding.diff.splitlines():
            console.print(Text(" " * _INDENT + line), soft_wrap=True)


def to_sarif(proofs: Mapping[Path, Proof], root: Path) -> dict[str, Any]:
    """Return proofs by file as a SARIF log of errors, with paths relative to `root`."""
    rules = {
        name: {"shortDescription": {"text": meaning}}
        for name, meaning in {**CHECKS, **_OTHER_RULES}.items()
    }
    results = (
        SarifResult(each.check, level, each.message, make_uri(root, path), each.line, each.column)
        for path, proof in proofs.items()
        for level, group in (("error", proof.findings), ("note", proof.notes))
        for each in group
    )
    return make_log("etude verify", rules, results, "finding/v1")
