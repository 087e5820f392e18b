"""`etude lint`: check exercises without running them."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from grader.authoring.lint.catalogue import find_rule, select_codes
from grader.authoring.lint.fix import fix
from grader.authoring.lint.lint_formats import (
    describe_rules,
    explain_rule,
    to_data,
    to_lines,
    to_sarif,
)
from grader.authoring.lint.lint_report import LintReport, lint
from grader.authoring.targets import find_targets
from grader.cli import options
from grader.cli.main import EXIT_NOT_PASSED
from grader.definitions.files import LESSON_SUFFIX, LESSONS, TRACK_FILE
from sitegen.markdown import unshowable


@click.command("lint")
@click.argument("targets", nargs=-1, metavar="[EXERCISE|TRACK|PATH]...")
@options.output_option("Write the report here, and nothing to the terminal.")
@click.option("--select", multiple=True, metavar="CODES", help="Run these rules alone.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these rules out.")
@click.option("--fix", "repair", is_flag=True, help="Repair what can be repaired safely.")
@click.option("--explain", metavar="CODE", help="Say what a rule is about, and end.")
@click.option("--rules-markdown", is_flag=True, hidden=True, help="Describe all rules.")
@options.exercises_option
@options.format_option("text", "json", "sarif")
def command(
    targets: tuple[str, ...],
    output: Path | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    repair: bool,
    explain: str | None,
    rules_markdown: bool,
    exercises: tuple[Path, ...],
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
    if explain is not None or rules_markdown:
        click.echo(
            describe_rules() if explain is None else f"{explain_rule(find_rule(explain))}\n",
            nl=False,
        )
        return

    report = _lint(targets, exercises, (select, ignore), repair=repair)
    if form == "text":
        text = "\n".join(to_lines(report))
    else:
        log = to_data(report) if form == "json" else to_sarif(report, Path.cwd())
        text = json.dumps(log, indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
    else:
        options.write_file(output, f"{text}\n")
    raise click.exceptions.Exit(0 if report.is_clean else EXIT_NOT_PASSED)


def _lint(
    targets: Sequence[str],
    exercises: tuple[Path, ...],
    choice: tuple[Sequence[str], Sequence[str]],
    *,
    repair: bool,
) -> LintReport:
    codes = select_codes(*choice)
    folders = options.collection_for(targets, exercises)
    names = []
    for name in targets:
        path = Path(name).absolute()
        is_lesson = path.suffix == LESSON_SUFFIX and path.parent.name == LESSONS
        # A lesson is checked with its track.
        names.append(str(path.parent.parent / TRACK_FILE) if is_lesson else name)
    groups = find_targets(names, *folders)
    collection = () if targets else folders
    report = lint(groups, collection, codes, unshowable)
    if repair:
        repairs = fix(report.findings)
        click.echo(f"{len(repairs)} of {len(report.findings)} findings repaired.", err=True)
        report = lint(groups, collection, codes, unshowable) if repairs else report
    return report
