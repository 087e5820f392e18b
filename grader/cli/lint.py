"""`etude lint`: look at exercises without running them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader import __version__
from grader.cli import options
from grader.cli.main import NOT_PASSED
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.authoring.lint.load import LintTargets
    from grader.authoring.lint.run import LintReport


@click.command("lint", short_help="Look at exercises without running them.")
@click.argument("targets", nargs=-1, metavar="[EXERCISE|TRACK|PATH]...")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the report here, and nothing to the terminal.",
)
@click.option("--select", multiple=True, metavar="CODES", help="Run these rules alone.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these rules out.")
@click.option("--fix", "repair", is_flag=True, help="Repair what can be repaired safely.")
@click.option("--explain", metavar="CODE", help="Say what a rule is about, and end.")
@click.option("--rules-markdown", is_flag=True, hidden=True, help="Describe all rules.")
@options.exercises_option
@options.format_option("text", "json", "sarif")
def command(  # noqa: PLR0917  click calls it by name
    targets: tuple[str, ...],
    output: Path | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    repair: bool,
    explain: str | None,
    rules_markdown: bool,
    exercises: Path | None,
    form: str,
) -> None:
    """Look at exercises without running them: all of the collection, or those that are named.

    What does not load, and what makes an exercise worse: tests that a wrong program passes, hints
    that give everything away, texts that say too little. A lesson is looked at with its track. The
    status is 0 if there are neither errors nor warnings, and 1 otherwise. CODES are codes of rules,
    their beginnings or names, separated by commas.

    \b
    Examples:
      etude lint
      etude lint attention-weights --ignore ETU102,few-hints
      etude lint drafts/07-rope.yaml --fix
      etude lint --explain ETU308
    """
    options.prefer_own_output()
    if explain is not None or rules_markdown:
        click.echo(_described(explain), nl=explain is not None)
        return
    report = _lint(targets, exercises, (select, ignore), repair=repair)
    _print(report, form, output)
    raise click.exceptions.Exit(0 if report.is_clean else NOT_PASSED)


def _described(code: str | None) -> str:
    from grader.authoring.lint.catalogue import find
    from grader.authoring.lint.lint_report import explanation, rules_markdown

    return rules_markdown() if code is None else explanation(find(code))


def _lint(
    targets: Sequence[str],
    exercises: Path | None,
    choice: tuple[Sequence[str], Sequence[str]],
    *,
    repair: bool,
) -> "LintReport":
    from grader.authoring.lint.catalogue import choose
    from grader.authoring.lint.fix import fix
    from grader.authoring.lint.run import lint
    from sitegen.markdown import unshowable

    codes = choose(*choice)
    folder = options.collection_for(targets, exercises)
    groups, collection = _groups(targets, folder), None if targets else folder
    report = lint(groups, collection, codes, unshowable)
    if repair:
        done = fix(report.findings)
        click.echo(f"{len(done)} of {len(report.findings)} findings repaired.", err=True)
        report = lint(groups, collection, codes, unshowable) if done else report
    return report


def _groups(targets: Sequence[str], folder: Path) -> "list[LintTargets]":
    from grader.authoring.lint.load import LintTargets
    from grader.authoring.verify.targets import find_targets

    names = [_track_of_lesson(name) or name for name in targets]
    return [LintTargets(group.files, group.track) for group in find_targets(names, folder)]


def _track_of_lesson(name: str) -> str | None:
    """Return the track's file for the path of a lesson, which is looked at with its track."""
    from grader.definitions.files import LESSON_SUFFIX, LESSONS, TRACK_FILE

    path = Path(name)
    is_lesson = path.suffix == LESSON_SUFFIX and path.absolute().parent.name == LESSONS
    return str(path.absolute().parent.parent / TRACK_FILE) if is_lesson else None


def _print(report: "LintReport", form: str, output: Path | None) -> None:
    text = _rendered(report, form)
    if output is None:
        click.echo(text)
        return
    from grader.reports.deliver import write_whole

    try:
        write_whole(output, f"{text}\n")
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}") from error


def _rendered(report: "LintReport", form: str) -> str:
    from grader.authoring.lint.lint_report import data, sarif, text_lines

    if form == "text":
        return "\n".join(text_lines(report))
    log = data(report) if form == "json" else sarif(report, __version__, Path.cwd())
    return json.dumps(log, indent=2, ensure_ascii=False)
