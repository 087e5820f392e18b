"""The share of wrong programs whose feedback names the mistake: `python -m benchmarks.feedback`.

It also counts how often each strategy of the diagnosis speaks, how often falsely, what becomes of
these programs without it, and what it costs, and writes that table into the documentation.
"""

import ast
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar
from unittest.mock import patch

import click

from benchmarks.mistakes import Wrong, right_programs, wrong_programs
from grader.definitions.collection import find_exercise
from grader.definitions.exercise import Exercise
from grader.grading.comparison.relations.pair import Relation
from grader.grading.diagnosis import first_expression, small_example
from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.feedback import relation_sentences
from grader.grading.jobs import Job
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.sandbox.child import ChildProcess
from grader.sandbox.interface import Ending
from grader.sandbox.process import open_sandbox

EXERCISES: Final = Path(__file__).parents[1] / "exercises"
PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "diagnosis.md"
BEGIN: Final = "<!-- Written by `python -m benchmarks.feedback`. -->\n"
END: Final = "<!-- End of what is written. -->\n"
EXPRESSION: Final = "The first wrong expression"
EXAMPLE: Final = "A small example"

_LAST: Final = {EXPRESSION: 1, EXAMPLE: 2}

Kind: TypeAlias = Literal["named", "falsely", "expression", "clue", "error", "vague"]
KINDS: Final[tuple[Kind, ...]] = ("named", "falsely", "expression", "clue", "error", "vague")
_NOTES: Final = """\
named: the diagnosis is one of those that name the mistake; falsely: it is another one;
expression: no mistake is named, but the first expression whose value no right solution has;
clue: no diagnosis, but a relation of the values, such as "every value is twice the expected one";
error: no diagnosis, but a Python error with its cause; vague: none of these.
"""

T = TypeVar("T")


@dataclass
class Strategy:
    """The uses of one strategy.

    Args:
        tried: In how many gradings it was asked.
        spoken: In how many it was the one that spoke.
        false: In how many of those it named something else than the mistake.
        vague: In how many of those the feedback would be vague without it.
        misleading: In how many of those the diagnosis would be false without it.
        cpu: Seconds of the grader and of the children of its sandbox, together.
    """

    tried: int = 0
    spoken: int = 0
    false: int = 0
    vague: int = 0
    misleading: int = 0
    cpu: float = 0.0


@dataclass
class Meter:
    """Counts the uses of the strategies while submissions are graded.

    Args:
        without: The strategy that is switched off, for each source of which one is.
    """

    without: dict[str, str] = field(default_factory=dict)
    strategies: dict[str, Strategy] = field(default_factory=dict)
    spoke: list[str] = field(default_factory=list)  # in the grading that runs
    _children: float = 0.0  # CPU seconds of those that ended

    def measured(self, name: str, search: Callable[[], T]) -> T:
        """Run a search, and count its use."""
        strategy = self.strategies.setdefault(name, Strategy())
        begin = time.process_time() + self._children
        answer = search()
        strategy.cpu += time.process_time() + self._children - begin
        strategy.tried += 1
        if answer is not None:
            self.spoke.append(name)
        return answer

    def attached(self) -> ExitStack:
        """Measure all strategies until the context ends."""
        strategies, end = Diagnostician.strategies, ChildProcess.end
        expression, example = (
            first_expression.find_first_wrong_expression,
            small_example.find_small_example,
        )

        def each(of: Diagnostician, case: Any, source: str) -> Iterator[tuple[str, Any]]:
            for name, search in strategies(of, case, source):
                if name != self.without.get(source):
                    yield name, partial(self.measured, name, search)

        def counted(child: ChildProcess) -> Ending:
            is_new = child._ending is None  # noqa: SLF001  asked once for each child
            ending = end(child)
            self._children += ending.cpu if is_new else 0
            return ending

        def search(
            name: str, real: Callable[..., Any], find_source: Callable[..., str]
        ) -> Callable[..., Any]:
            def measured(*args: Any) -> Any:
                if name == self.without.get(find_source(*args)):
                    return None
                return self.measured(name, partial(real, *args))

            return measured

        stack = ExitStack()
        for target, name, new in (
            (Diagnostician, "strategies", each),
            (ChildProcess, "end", counted),
            (
                first_expression,
                "find_first_wrong_expression",
                search(EXPRESSION, expression, lambda _oracle, text, _: text.source),
            ),
            (
                small_example,
                "find_small_example",
                search(EXAMPLE, example, lambda run: run.submission.source),
            ),
        ):
            stack.enter_context(patch.object(target, name, new))
        return stack


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--only", help="Measure one exercise; the documentation stays as it is.")
@click.option("--verbose", is_flag=True, help="Print what each wrong program meets.")
def main(only: str | None, verbose: bool) -> None:
    """Grade the wrong programs of `benchmarks.mistakes`, and count what their feedback names."""
    wrongs = [wrong for wrong in wrong_programs() if only in (None, wrong.exercise)]
    exercises = {
        name: find_exercise(name, EXERCISES) for name in sorted({each.exercise for each in wrongs})
    }
    _require_right_programs(exercises)
    counts: dict[str, Counter[Kind]] = {}
    meter, passing = Meter(), 0
    speakers: list[tuple[Wrong, str]] = []
    for wrong, (verdict, clues, spoke) in zip(
        wrongs, _graded(exercises, wrongs, meter), strict=True
    ):
        if verdict.outcome is Outcome.PASSED:
            passing += 1
            continue
        kind, is_false = _kind(wrong, verdict, clues), _is_false(wrong, verdict)
        counts.setdefault(wrong.category, Counter())[kind] += 1
        for name in spoke:
            meter.strategies[name].spoken += 1
            meter.strategies[name].false += is_false and name != EXAMPLE
            if name != EXAMPLE:
                speakers.append((wrong, name))
            elif kind == "vague":
                meter.strategies[name].vague += 1
        if verbose or is_false:
            diagnosis = verdict.diagnosis
            click.echo(f"{kind:8}{wrong.category:9}{wrong.exercise}: {wrong.change}")
            if diagnosis is not None:
                click.echo(f"    {diagnosis.kind} {diagnosis.id}: {diagnosis.feedback}")
            for clue in clues:
                click.echo(f"    {clue}")
    _count_losses(exercises, speakers, meter, verbose=verbose)
    failing = sum(counts.values(), Counter()).total()
    table = strategy_table(meter.strategies, failing)
    click.echo(_table(counts))
    click.echo(f"{_NOTES}{passing} more pass: what makes them wrong shows in no test.\n\n{table}")
    if only is None:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}")


def _require_right_programs(exercises: dict[str, Exercise]) -> None:
    rights = [right for right in right_programs() if right.exercise in exercises]
    jobs = [Wrong(each.exercise, "one", "", each.source, frozenset()) for each in rights]
    for right, (verdict, *_) in zip(rights, _graded(exercises, jobs, Meter()), strict=True):
        if verdict.outcome is not Outcome.PASSED:
            raise click.ClickException(f"a right program of {right.exercise} does not pass")


def _count_losses(
    exercises: dict[str, Exercise],
    speakers: list[tuple[Wrong, str]],
    meter: Meter,
    *,
    verbose: bool,
) -> None:
    """Grade each program again without the strategy that spoke: only these are affected."""
    ablated = Meter(without={wrong.source: name for wrong, name in speakers})
    answers = _graded(exercises, [wrong for wrong, _ in speakers], ablated)
    for (wrong, name), (verdict, clues, spoke) in zip(speakers, answers, strict=True):
        kind, strategy = _kind(wrong, verdict, clues), meter.strategies[name]
        strategy.vague += kind == "vague" and EXAMPLE not in spoke
        strategy.misleading += _is_false(wrong, verdict)
        if verbose:
            click.echo(f"without {name}: {kind} {spoke} {wrong.exercise}: {wrong.change}")


def _graded(
    exercises: dict[str, Exercise], wrongs: list[Wrong], meter: Meter
) -> list[tuple[Verdict, tuple[str, ...], tuple[str, ...]]]:
    """Return each program's verdict, the relations in its messages, and who spoke."""
    graded: list[tuple[Verdict, tuple[str, ...], tuple[str, ...]]] = []
    clues: list[str] = []
    real = relation_sentences.relation_sentence

    def noted(relation: Relation, *arguments: Any, **named: Any) -> str:
        if sentence := real(relation, *arguments, **named):
            clues.append(f"{relation.id}: {sentence}")
        return sentence

    jobs = [
        Job(exercises[each.exercise], Submission.from_bytes(Path("own.py"), each.source.encode()))
        for each in wrongs
    ]
    notes = patch.object(relation_sentences, "relation_sentence", noted)
    with meter.attached(), notes, open_sandbox() as sandbox:
        engine = Engine(sandbox)
        for job in jobs:
            verdict = engine.grade(job)
            graded.append((verdict, tuple(clues), tuple(meter.spoke)))
            clues.clear()
            meter.spoke.clear()
    return graded


def _is_false(wrong: Wrong, verdict: Verdict) -> bool:
    """Return whether a diagnosis names another mistake, or another line, than the program has."""
    diagnosis = verdict.diagnosis
    if diagnosis is None:
        return False
    if diagnosis.kind == "expression":
        line = re.search(r"\bin line (\d+)", diagnosis.feedback)
        return line is None or _is_elsewhere(diagnosis.id, int(line[1]), wrong.right, wrong.source)
    # Of another exercise's misconception, the part after its exercise is enough.
    ids = [{each, each.rpartition("/")[2]} for each in diagnosis.ids]
    fits = any if diagnosis.kind == "ambiguous" else all
    return not fits(each & wrong.named_by for each in ids)


def _kind(wrong: Wrong, verdict: Verdict, clues: tuple[str, ...]) -> Kind:
    if verdict.diagnosis is not None and verdict.diagnosis.kind == "expression":
        return "expression"
    if verdict.diagnosis is not None:
        return "falsely" if _is_false(wrong, verdict) else "named"
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


def strategy_table(strategies: dict[str, Strategy], programs: int) -> str:
    """Return the Markdown table of the strategies, in the order in which they are tried."""
    titles = (
        "strategy",
        f"speaks, of {programs}",
        "false",
        "vague without it",
        "false without it",
        "CPU ms a try",
    )
    lines = [f"| {' | '.join(titles)} |", f"|---{'|---:' * (len(titles) - 1)}|"]
    for name, row in sorted(strategies.items(), key=lambda each: _LAST.get(each[0], 0)):
        share = f"{row.spoken} ({row.spoken / programs:.1%})"
        false = f"{row.false} ({row.false / max(row.spoken, 1):.0%})"
        vague = f"{row.vague} ({row.vague / programs:.1%})"
        cells = (name, share, false, vague, row.misleading, f"{1000 * row.cpu / row.tried:.0f}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


def _is_elsewhere(kind: str, line: int, source: str, mutant: str) -> bool:
    """Return whether a statement of this kind names a line that has nothing to do with a change."""
    changed = _changed_lines(source, mutant)
    uses_it = kind == "missing" and any(_uses(mutant, each, line) for each in changed)
    return line not in changed and not uses_it


def _changed_lines(source: str, mutant: str) -> set[int]:
    """Return the lines of a mutant that are changed, or stand beside one that is left out."""
    matcher = SequenceMatcher(None, source.splitlines(), mutant.splitlines(), autojunk=False)
    found = set[int]()
    for tag, _, _, begin, end in matcher.get_opcodes():
        if tag != "equal":
            found |= set(range(begin + 1, end + 1)) or {begin, begin + 1}
    return found


def _uses(source: str, line: int, of: int) -> bool:
    """Return whether a line uses a name that another one sets."""

    def names(line: int, context: type[ast.expr_context]) -> set[str]:
        nodes = (each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Name))
        return {each.id for each in nodes if each.lineno == line and isinstance(each.ctx, context)}

    return bool(names(line, ast.Load) & names(of, ast.Store))


if __name__ == "__main__":
    main()
