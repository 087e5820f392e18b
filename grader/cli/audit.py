"""`etude audit`: find the mistakes that an assignment's tests miss."""

from collections.abc import Sequence
from pathlib import Path

import click

from grader.audit.cache import AuditCache
from grader.audit.loading.load_assignment import load_all
from grader.audit.ready_tests import convert_to_json
from grader.audit.reports.formats import FORMATS
from grader.audit.result import Audit
from grader.audit.run import Request, run_audit
from grader.audit.wrong_programs import ExerciseFunction, find_exercise_functions
from grader.authoring.sources.assignment import Assignment
from grader.cli import options
from grader.cli.main import EXIT_NOT_PASSED, EXIT_USAGE
from grader.cli.progress_bar import progress
from grader.definitions.collection import Collection
from grader.definitions.wording import plural
from grader.errors import DefinitionError, UsageError

_PERCENT = 100


@click.command("audit")
@click.argument("path", required=False, type=options.PATH, metavar="[PATH]")
@options.path_option("--solution", "The right program.")
@options.path_option("--tests", "A file of tests; may be given several times.", multiple=True)
@options.path_option("--starter", "The file that learners begin with, which tests should reject.")
@options.path_option(
    "--write",
    "Write tests here that reject the survivors. Each was run: it passes on the solution. "
    "In a file that ends in .json they have the form of a problem's tests.json.",
    options.FILE,
)
@options.path_option(
    "--accepted",
    "Survivors that are not holes: one change on a line, as the report names it.",
    options.FILE,
)
@click.option(
    "--like",
    multiple=True,
    metavar="EXERCISE",
    help="Also try the known mistakes of this exercise; may be given several times.",
)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, _PERCENT),
    metavar="PERCENT",
    help="End with status 0 if this part of the wrong programs is rejected, holes or not.",
)
@options.jobs_option("programs to run")
@options.output_option("Write the report here, and nothing to the terminal.")
@click.option("--no-cache", is_flag=True, help="Audit again what has not changed.")
@options.exercises_option
@click.option(
    "--format",
    "forms",
    multiple=True,
    default=["text"],
    show_default=True,
    metavar="NAME[=FILE]",
    help="text, markdown, json, sarif, html or badge; with a file, written there. May be repeated.",
)
def command(
    path: Path | None,
    solution: Path | None,
    tests: tuple[Path, ...],
    starter: Path | None,
    write: Path | None,
    accepted: Path | None,
    like: tuple[str, ...],
    fail_under: float | None,
    jobs: int,
    output: Path | None,
    exercises: tuple[Path, ...],
    no_cache: bool,
    forms: tuple[str, ...],
) -> None:
    """Run the tests of an assignment against wrong programs, and say which they do not notice.

    PATH is a folder with a solution and its tests, a notebook of nbgrader or Otter, a folder of a
    problem or of Exercism's, or a folder of such folders. The wrong programs are mutants of the
    solution and, for functions that do what a function of an exercise does, its known mistakes. For
    each one that survives there is the smallest call found that tells it from the solution, and a
    test. All code of the assignment runs confined: it has no network, and writes no file.

    The status is 0 without holes, 1 with holes, 2 where the assignment cannot be audited.

    \b
    Examples:
      etude audit homework/
      etude audit homework.ipynb --format text --format html=audit.html
      etude audit --solution solution.py --tests test_solution.py
      etude audit homework/ --write homework/test_extra.py
    """
    if write is not None and write.exists():
        raise UsageError(f"{write} exists already; name another file for --write")
    reports = _parse_formats(forms, output)
    assignments = load_all(path, solution=solution, tests=tests, starter=starter)
    if write is not None and len(assignments) > 1:
        raise UsageError(f"--write is for one assignment, and there are {len(assignments)}")
    request = Request(
        jobs=jobs,
        accepted_changes=_read_accepted(accepted),
        exercise_functions=_find_functions(like, exercises),
        similar_exercises=frozenset(like),
        progress=progress,
    )
    finished, failures = _audit_all(assignments, request, use_cache=not no_cache)
    if finished:
        for name, file in reports:
            text = FORMATS[name](finished)
            if file is None:
                click.echo(text, nl=False)
            else:
                options.write_file(file, text)
        _write_tests(finished[0], write)
    if failures:
        raise click.exceptions.Exit(EXIT_USAGE)
    passes = not any(audit.has_holes for audit in finished)
    if fail_under is not None:
        killed = sum(audit.killed for audit in finished)
        tried = sum(audit.distinguishable for audit in finished)
        passes = killed * _PERCENT >= fail_under * tried
    raise click.exceptions.Exit(0 if passes else EXIT_NOT_PASSED)


def _audit_all(
    assignments: Sequence[Assignment], request: Request, *, use_cache: bool
) -> tuple[list[Audit], list[str]]:
    """Audit each assignment; with several, skip and name those that cannot be audited."""
    cache = AuditCache()
    finished: list[Audit] = []
    failures: list[str] = []
    for assignment in assignments:
        cached = cache.find(assignment, request) if use_cache else None
        if cached is not None:
            finished.append(cached)
            continue
        try:
            audit = run_audit(assignment, request)
            finished.append(audit)
            cache.keep(audit, request)
        except (UsageError, DefinitionError) as error:
            if len(assignments) == 1:
                raise
            failures.append(assignment.name)
            click.echo(f"{error}", err=True)
    return finished, failures


def _read_accepted(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    changes = (line.strip() for line in lines)
    return frozenset(change for change in changes if change and not change.startswith("#"))


def _find_functions(
    like: tuple[str, ...], exercises: tuple[Path, ...]
) -> tuple[ExerciseFunction, ...]:
    all_exercises = Collection.load(*options.collection_folders(exercises)).exercises
    unknown = [name for name in like if name not in {exercise.id for exercise in all_exercises}]
    if unknown:
        raise UsageError(f"--like {unknown[0]}: there is no such exercise")
    return tuple(find_exercise_functions(all_exercises))


def _parse_formats(forms: Sequence[str], output: Path | None) -> list[tuple[str, Path | None]]:
    """Return each format with its file, or None for standard output.

    Raises:
        UsageError: A format does not exist, or two formats go to standard output.
    """
    reports: list[tuple[str, Path | None]] = []
    for form in forms:
        name, _, file = form.partition("=")
        if name not in FORMATS:
            raise UsageError(
                f"{name!r} is not a format of an audit; there are {', '.join(FORMATS)}"
            )
        reports.append((name, Path(file) if file else output))
    places = [file for _, file in reports]
    if len(set(places)) < len(places):
        raise UsageError("two reports in one place: give each a file, as in --format html=a.html")
    return reports


def _write_tests(audit: Audit, path: Path | None) -> None:
    if path is None:
        return
    if not audit.extra_tests:
        click.echo("There is no test to write.", err=True)
        return

    is_json = path.suffix.lower() == ".json"
    options.write_file(path, convert_to_json(audit.extra_tests) if is_json else audit.extra_tests)
    count = audit.extra_tests.count("def test_")
    click.echo(
        f"{path}: {plural(count, 'test')}, run on the solution and the survivors.",
        err=True,
    )
