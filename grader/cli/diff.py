"""`etude diff`: the verdicts that a new version of an exercise changes."""

import json
import os
from pathlib import Path

import click

from grader.authoring.difference import compare_versions, describe_verdict, list_changed_tests
from grader.cli import options
from grader.cli.main import EXIT_NOT_PASSED
from grader.definitions.collection import load_exercise_file
from grader.definitions.wording import plural
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.printable import printable


@click.command("diff")
@click.argument("before", type=options.PATH)
@click.argument("after", type=options.PATH)
@click.argument("folder", type=options.EXISTING_FOLDER)
@options.jobs_option("to grade")
@options.format_option("text", "json")
def command(before: Path, after: Path, folder: Path, jobs: int, form: str) -> None:
    """Grade FOLDER/<student>/<exercise>.py by BEFORE and by AFTER, and show what differs.

    Exit status 0 if no verdict changes, 1 if one does.

    \b
    Examples:
      git show HEAD~1:exercises/attention/13-attention-weights.yaml > /tmp/old.yaml
      etude diff /tmp/old.yaml exercises/attention/13-attention-weights.yaml submissions/
    """
    for path in (before, after):
        options.refuse_submitted_definitions(path, folder)
    versions = load_exercise_file(before), load_exercise_file(after)
    with WorkerPool(jobs, options.sandbox_opener(unsafe=False, workers=jobs)) as pool:
        changes = list(compare_versions(*versions, folder, pool))
    changed = [change for change in changes if change.is_change]
    if form == "json":
        data = [
            {
                "student": change.entry.student,
                "file": os.fspath(change.entry.path),
                "before": describe_verdict(change.before),
                "after": describe_verdict(change.after),
                "differs": change.is_change,
                "tests": list_changed_tests(change),
            }
            for change in changes
        ]
        click.echo(json.dumps(data, indent=2))
    else:
        for change in changed:
            student = printable(change.entry.student)
            click.echo(
                f"{student}: {describe_verdict(change.before)} -> {describe_verdict(change.after)}"
            )
            for line in list_changed_tests(change):
                click.echo(f"  {line}")
        of_all = plural(len(changes), "submission")
        click.echo(f"{len(changed)} of {of_all} would get another verdict")
    raise click.exceptions.Exit(EXIT_NOT_PASSED if changed else 0)
