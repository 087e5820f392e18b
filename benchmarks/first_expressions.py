"""The first expressions that are named, on mutants: `python -m benchmarks.first_expressions`.

A statement is right if it names the line of the mutation. What is missing after a line may be named
by that line. All other statements have to be read: those in
`_TRUE` were read and do not mislead, each with its reason; those that are not there are printed.
"""

import ast
import time
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

import click

from benchmarks.mistakes import right_programs
from grader.definitions.collection import find_exercise
from grader.definitions.exercise import TestId
from grader.grading.diagnosis.first_expression import Place, find_place
from grader.grading.expected.oracle import Oracle
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome, TestResult
from grader.grading.run.submission_run import SubmissionRun, in_running_order
from grader.mutation import mutants
from grader.sandbox.process import Sandbox, open_sandbox

EXERCISES: Final = Path(__file__).parents[1] / "exercises"
_MOST_MUTANTS: Final = 8  # mutants of one program
_TRUE: Final = {
    # What is missing can be put in at the named line too.
    (
        "cross-attention",
        "drop-scale in cross_attention: `queries / np.sqrt(width)` -> `queries`",
        7,
    ): "the products are right, and may be scaled there",
    (
        "perplexity",
        "flip-sign in perplexity: `surprise - np.log(each)` -> `surprise + np.log(each)`",
        7,
    ): "the mean of the logarithms is right, and its sign may be changed there",
    (
        "log-softmax",
        "drop-term in log_softmax: `top + np.log(total)` -> `top`",
        6,
    ): "the shifted scores are right, and the logarithm may be subtracted there",
    # What goes into the named step is a right value, but not for this step.
    (
        "flash-attention",
        "drop-scale in flash_attention: `1 / np.sqrt(Q.shape[1])` -> `np.sqrt(Q.shape[1])`",
        9,
    ): "the root is right if the products are divided by it there",
    (
        "split-heads",
        "swap-targets in split_heads: `length, width = x.shape` -> `width, length = x.shape`",
        4,
    ): "`width // heads` is wrong, and of what goes into it `width` is set one line before",
}
"""Statements that are true and help: exercise, mutation, the line named, and the reason."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--only", help="Measure one exercise.")
@click.option("--verbose", is_flag=True, help="Print every statement.")
@click.option("--also-mistakes", is_flag=True, help="Take the programs of `mistakes` too.")
def main(only: str | None, verbose: bool, also_mistakes: bool) -> None:
    """Mutate programs in another style, and count which first expressions are named."""
    programs = right_programs("other_styles.yaml")
    if also_mistakes:
        programs += right_programs()
    counts, seconds = Counter[str](), list[float]()
    with open_sandbox() as sandbox:
        for name, source in ((right.exercise, right.source) for right in programs):
            if only not in (None, name):
                continue
            exercise = find_exercise(name, EXERCISES)
            oracle = Oracle(exercise, sandbox)
            if _failed(oracle, source, sandbox):
                raise click.ClickException(f"a right program of {name} does not pass:\n{source}")
            made = mutants(source, exercise.defines, exercise.starter)
            for mutant in made[:: -(-len(made) // _MOST_MUTANTS) or 1]:
                if not (results := _failed(oracle, mutant.source, sandbox)):
                    continue
                if all(each.outcome is not Outcome.FAILED for each in results.values()):
                    counts["raises"] += 1  # its message has the line, and nothing is searched
                    continue
                begin = time.perf_counter()
                place = find_place(oracle, mutant.source, sandbox, results)
                seconds.append(time.perf_counter() - begin)
                verdict = _verdict(place, source, mutant.source)
                if verdict == "elsewhere" and place is not None:
                    read = (name, mutant.change, place.line)
                    verdict = "true" if read in _TRUE else verdict
                counts[verdict] += 1
                if verbose or verdict == "elsewhere":
                    click.echo(f"{verdict} {name}: {mutant.change}\n    {place}")
    raising = counts.pop("raises", 0)
    asked = counts.total()
    spoken = asked - counts["silent"]
    click.echo(
        f"{len(programs)} right programs; {raising} mutants raise, {asked} give wrong values"
    )
    click.echo(
        f"spoken of: {spoken} ({spoken / asked:.0%}), of all {spoken / (asked + raising):.0%}"
    )
    click.echo(
        f"elsewhere: {counts['true']} that were read and are true, "
        f"{counts['elsewhere']} others ({counts['elsewhere'] / max(spoken, 1):.1%})"
    )
    seconds.sort()
    click.echo(f"seconds: median {seconds[len(seconds) // 2]:.3f}, longest {seconds[-1]:.3f}")


def _failed(oracle: Oracle, source: str, sandbox: Sandbox) -> dict[TestId, TestResult]:
    """Return a program's results; empty if it passes."""
    submission = Submission.from_bytes(Path("own.py"), source.encode())
    results = {}
    with SubmissionRun(oracle, submission, sandbox, with_values=False, with_reasons=False) as run:
        run.load()
        for test in in_running_order(oracle.exercise):
            results[test.id] = run.grade(test)
    return results if {each.outcome for each in results.values()} != {Outcome.PASSED} else {}


def _verdict(place: Place | None, source: str, mutant: str) -> str:
    if place is None:
        return "silent"
    return "elsewhere" if is_elsewhere(place.kind, place.line, source, mutant) else "right"


def is_elsewhere(kind: str, line: int, source: str, mutant: str) -> bool:
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
