"""Proofs in the terminal: a line for each exercise, and only what is wrong opened under it."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader.authoring.verify.checks import CHECKS, MUTANTS, REJECTED, SOLUTION
from grader.authoring.verify.proof import Proof, ProofFinding

_STYLE = {"proven": "green", "not proven": "red", "invalid": "yellow", "fault": "yellow"}
_MARK = {"proven": "\u2713", "not proven": "\u2717", "invalid": "!", "fault": "!"}
_COLUMNS = ("", "exercise", "checks", "tests", "misconceptions", "mutants", "time")
_INDENT = 4


def print_proofs(console: Console, proofs: Mapping[Path, Proof]) -> None:
    """Print a table in a terminal, lines elsewhere; then the problems, and a summary."""
    if console.is_terminal:
        console.print(_table(proofs))
    else:
        for proof in proofs.values():
            console.print(Text(" ".join(cell for cell in _cells(proof) if cell)), soft_wrap=True)
    for path, proof in proofs.items():
        for finding in proof.findings:
            _print_finding(console, path, finding, _STYLE[proof.status])
        if proof.skipped:
            console.print(Text(f"{path}: {_not_tried(proof)}", "dim"), soft_wrap=True)
    notes = [(path, note) for path, proof in proofs.items() for note in proof.notes]
    if len(proofs) == 1:
        for path, note in notes:
            _print_finding(console, path, note, "dim", "note: ")
    elif notes:
        noun = "note" if len(notes) == 1 else "notes"
        console.print(f"{len(notes)} {noun}: verify one exercise alone to read its own.")
    console.print(_summary(proofs))


def _table(proofs: Mapping[Path, Proof]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name in ("", "exercise") else "right")
    for proof in proofs.values():
        mark, name, *cells = _cells(proof, short=True)
        table.add_row(Text(mark, _STYLE[proof.status]), Text(name), *cells)
    return table


def _cells(proof: Proof, *, short: bool = False) -> list[str]:
    """Return the mark, the name and the numbers of a proof."""
    if proof.status in ("invalid", "fault") or not proof.counts.tests:  # a track has no tests
        return [_MARK[proof.status], proof.exercise, proof.status, "", "", "", ""]
    counts = proof.counts
    good = sum(not proof.failed(name) and name not in proof.skipped for name in CHECKS)
    alike = f" + {counts.equivalent}" if counts.equivalent else ""
    took = "known" if proof.cached else f"{proof.seconds:.1f} s"
    rejected = f"{counts.rejected}/{counts.misconceptions}"
    killed = f"{counts.killed}{alike}/{counts.mutants}"
    numbers = [
        (f"{good}/{len(CHECKS)}", "checks"),
        (f"{counts.tests} ({counts.hidden} hidden)", "tests"),
        ("" if REJECTED in proof.skipped else rejected, "misconceptions"),
        ("" if MUTANTS in proof.skipped else killed, "mutants"),
    ]
    cells = [number if short or not number else f" {number} {noun}," for number, noun in numbers]
    return [_MARK[proof.status], proof.exercise, *cells, took]


def _not_tried(proof: Proof) -> str:
    until = "the solution passes" if proof.failed(SOLUTION) else "a test is hidden"
    return f"not tried until {until}: {', '.join(proof.skipped)}"


def _print_finding(
    console: Console, path: Path, finding: ProofFinding, style: str, prefix: str = ""
) -> None:
    head = Text.assemble(f"{path}:{finding.line}: ", (f"{prefix}{finding.check}", style), ": ")
    console.print(head.append(finding.message), soft_wrap=True)
    if not finding.diff:
        return
    if console.is_terminal:
        syntax = Syntax(finding.diff, "diff", background_color="default")
        console.print(Padding(syntax, (0, 0, 0, _INDENT)))
    else:
        for line in finding.diff.splitlines():
            console.print(Text(" " * _INDENT + line), soft_wrap=True)


def _summary(proofs: Mapping[Path, Proof]) -> Text:
    proven = sum(proof.status == "proven" for proof in proofs.values())
    total = len(proofs)
    noun = "exercise" if total == 1 else "exercises"
    if proven == total:
        return Text(f"{total} {noun} proven.", style="bold green")
    return Text(f"{proven} of {total} {noun} proven.", style="bold red")
