"""The share of wrong programs whose feedback names the mistake: `python -m benchmarks.feedback`."""

from collections import Counter
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import click

from benchmarks.mistakes import PROGRAMS, Wrong, wrong_programs
from grader.definitions.collection import find_exercise
from grader.definitions.exercise import Exercise
from grader.grading.comparison.relations.pair import Relation
from grader.grading.feedback import relation_sentences
from grader.grading.results.jobs import Job, Result
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.session.engine import grade_all
from grader.sandbox.process import open_sandbox

EXERCISES: Final = Path(__file__).parents[1] / "exercises"

Kind: TypeAlias = Literal["named", "falsely", "expression", "clue", "error", "vague"]
KINDS: Final[tuple[Kind, ...]] = ("named", "falsely", "expression", "clue", "error", "vague")
_NOTES: Final = """\
named: the diagnosis is one of those that name the mistake; falsely: it is another one;
expression: no mistake is named, but the first expression whose value no right solution has;
clue: no diagnosis, but a relation of the values, such as "every value is twice the expected one";
error: no diagnosis, but a Python error with its cause; vague: none of these.
"""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--only", help="Measure one exercise.")
@click.option("--verbose", is_flag=True, help="Print what each wrong program meets.")
def main(only: str | None, verbose: bool) -> None:
    """Grade the wrong programs of `benchmarks.mistakes`, and count what their feedback names."""
    wrongs = [wrong for wrong in wrong_programs() if only in (None, wrong.exercise)]
    exercises = {
        name: find_exercise(name, EXERCISES) for name in sorted({each.exercise for each in wrongs})
    }
    _require_right_programs(exercises)
    counts: dict[str, Counter[Kind]] = {}
    passing = 0
    for wrong, (verdict, clues) in zip(wrongs, _graded(exercises, wrongs), strict=True):
        if verdict.outcome is Outcome.PASSED:
            passing += 1
            continue
        kind = _kind(wrong, verdict, clues)
        counts.setdefault(wrong.category, Counter())[kind] += 1
        if verbose:
            diagnosis = verdict.diagnosis
            click.echo(f"{kind:8}{wrong.category:9}{wrong.exercise}: {wrong.change}")
            if diagnosis is not None:
                click.echo(f"    {diagnosis.kind} {diagnosis.id}: {diagnosis.feedback}")
            for clue in clues:
                click.echo(f"    {clue}")
    click.echo(_table(counts))
    click.echo(f"{_NOTES}{passing} more pass: what makes them wrong shows in no test.")


def _require_right_programs(exercises: dict[str, Exercise]) -> None:
    rights = [right for right in PROGRAMS if right.exercise in exercises]
    made = [Wrong(each.exercise, "one", "", each.source, frozenset()) for each in rights]
    for right, (verdict, _) in zip(rights, _graded(exercises, made), strict=True):
        if verdict.outcome is not Outcome.PASSED:
            raise click.ClickException(f"a right program of {right.exercise} does not pass")


def _graded(
    exercises: dict[str, Exercise], wrongs: list[Wrong]
) -> list[tuple[Verdict, tuple[str, ...]]]:
    """Return each program's verdict, and the relations that its messages name."""
    found: list[tuple[Verdict, tuple[str, ...]]] = []
    clues: list[str] = []
    real = relation_sentences.related

    def noted(relation: Relation, *others: Any) -> str:
        if said := real(relation, *others):
            clues.append(said)
        return said

    def emit(_: Job, result: Result) -> None:
        if not isinstance(result, Verdict):
            raise result
        found.append((result, tuple(clues)))
        clues.clear()

    jobs = [
        Job(exercises[each.exercise], Submission.from_bytes(Path("own.py"), each.source.encode()))
        for each in wrongs
    ]
    relation_sentences.related = noted  # type: ignore[assignment]  # it notes, and asks the real one
    try:
        with open_sandbox() as sandbox:
            grade_all(jobs, sandbox, emit)
    finally:
        relation_sentences.related = real
    return found


def _kind(wrong: Wrong, verdict: Verdict, clues: tuple[str, ...]) -> Kind:
    if verdict.diagnosis is not None and verdict.diagnosis.kind == "expression":
        return "expression"
    if verdict.diagnosis is not None:
        ids = {*verdict.diagnosis.ids}
        # Of another exercise's misconception, the part after its exercise is enough.
        fits = all({each, each.rpartition("/")[2]} & wrong.named_by for each in ids)
        return "named" if fits else "falsely"
    if clues:
        return "clue"
    visible = [test for test in verdict.tests if not test.hidden]
    return "error" if any(test.outcome is Outcome.ERRORED for test in visible) else "vague"


def _table(counts: dict[str, Counter[Kind]]) -> str:
    rows = [*counts.items(), ("all", sum(counts.values(), Counter()))]
    lines = ["".join(f"{each:>11}" for each in ("", "programs", *KINDS))]
    for name, row in rows:
        shares = (f"{row[kind]:>4} {row[kind] / row.total():>4.0%}" for kind in KINDS)
        lines.append(f"{name:>11}{row.total():>11}" + "".join(f"{share:>11}" for share in shares))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
