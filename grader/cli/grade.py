"""`etude grade`: grade a folder of submissions."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import FAULT, NOT_PASSED, USAGE
from grader.errors import GraderFault, UsageError
from grader.sandbox.choose import open_sandbox, open_unsafe

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from grader.grading.engine import Job, Result


@click.command("grade", short_help="Grade a folder of submissions.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@options.exercises_option
@options.format_option("text", "json")
@options.unsafe_option
def command(folder: Path, exercises: Path | None, form: str, unsafe: bool) -> None:
    r"""Grade every FOLDER/<student>/<exercise>.py.

    \b
    Example:
      etude grade submissions/ --format json
    """
    options.prefer_own_output()
    from grader.grading.engine import grade_all  # noqa: PLC0415  not for --help

    jobs, unknown = _jobs(folder, options.collection_folder(exercises))
    if not jobs and not unknown:
        raise UsageError(f"there is no <student>/<exercise>.py in {folder}")
    results: list[tuple[Job, Result]] = []
    with open_unsafe() if unsafe else open_sandbox() as sandbox:
        grade_all(jobs, sandbox, lambda job, result: results.append((job, result)))
    (_print_json if form == "json" else _print_table)(results, unknown)
    raise click.exceptions.Exit(_status(results, unknown))


def _jobs(folder: Path, exercises: Path) -> tuple[list["Job"], list[tuple[Path, str]]]:
    """Pair each file with its exercise; files that name none are returned with the reason."""
    from grader.definitions.collection import resolve  # noqa: PLC0415
    from grader.grading.engine import Job  # noqa: PLC0415
    from grader.grading.submission import Submission  # noqa: PLC0415

    known: dict[str, Exercise | str] = {}
    jobs, unknown = [], []
    for path in sorted(folder.glob("*/*.py")):
        name = path.stem
        if name not in known:
            try:
                known[name] = resolve(name, exercises)
            except UsageError as error:
                known[name] = str(error)
        exercise = known[name]
        if isinstance(exercise, str):
            unknown.append((path, exercise))
        else:
            jobs.append(Job(exercise, Submission.read(path, follow_links=False)))
    return jobs, unknown


def _status(results: list[tuple["Job", "Result"]], unknown: list[tuple[Path, str]]) -> int:
    """The worst that happened: a fault, a file that names no exercise, a submission not passed."""
    if any(isinstance(result, GraderFault) for _, result in results):
        return FAULT
    if unknown or any(isinstance(result, Exception) for _, result in results):
        return USAGE
    passed = all(getattr(result, "outcome", None) == "passed" for _, result in results)
    return 0 if passed else NOT_PASSED


def _print_table(results: list[tuple["Job", "Result"]], unknown: list[tuple[Path, str]]) -> None:
    from rich.console import Console  # noqa: PLC0415

    from grader.reports.text import Row, print_verdicts  # noqa: PLC0415

    console = Console(highlight=False)
    rows = [
        Row(
            job.submission.path.parent.name,
            str(job.exercise.id),
            str(result) if isinstance(result, Exception) else result,
        )
        for job, result in results
    ]
    print_verdicts(console, rows)
    for path, reason in unknown:
        console.print(f"not graded: {path.parent.name}/{path.name}: {reason}", markup=False)
    outcomes = Counter(
        "grader fault" if isinstance(r, Exception) else r.outcome.value for _, r in results
    )
    summary = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    console.print(f"{len(results)} submissions: {summary}", markup=False)


def _print_json(results: list[tuple["Job", "Result"]], unknown: list[tuple[Path, str]]) -> None:
    from grader.reports.data import fault_data, verdict_data  # noqa: PLC0415

    verdicts = []
    for job, result in results:
        data = (
            fault_data(job.exercise.id, str(result))
            if isinstance(result, Exception)
            else verdict_data(result)
        )
        verdicts.append({"student": job.submission.path.parent.name, **data})
    not_graded = [{"file": str(path), "reason": reason} for path, reason in unknown]
    click.echo(json.dumps({"verdicts": verdicts, "not_graded": not_graded}, indent=2))
