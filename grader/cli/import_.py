"""`etude import`: convert exercises of other formats to definitions, and verify them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from grader.authoring.importing.import_report import write_report
from grader.authoring.importing.read_source import read_source
from grader.authoring.importing.validate_drafts import load_if_valid, validate_draft
from grader.authoring.importing.verify_imported import ImportProof, verify_imported
from grader.authoring.importing.write import (
    correct_tests,
    format_definition,
    format_track,
    plan_files,
    write_text,
)
from grader.authoring.lint.lint_report import lint
from grader.authoring.lint.rule import LintFinding
from grader.authoring.sources.draft import make_slug
from grader.authoring.targets import TargetGroup
from grader.cli import options
from grader.cli.main import EXIT_FAULT, EXIT_NOT_PASSED
from grader.cli.progress_bar import progress
from grader.cli.verify import leak_finder
from grader.definitions.exercise import Exercise
from grader.errors import UsageError
from grader.grading.workers.pool import WorkerPool
from sitegen.markdown import unshowable

_WORKER_COUNT = 2
# Imported sources never have misconceptions, and the proof already reports missing hidden tests.
_SKIPPED_RULES = frozenset({"ETU101", "ETU301"})


@click.command("import")
@click.argument("source", type=options.PATH)
@options.path_option(
    "--into",
    "The folder to write definitions to; it is made if it is missing.",
    options.FOLDER,
    required=True,
)
@click.option("--track", metavar="NAME", help="Make them a track: DIR/NAME with a track.yaml.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
def command(source: Path, into: Path, track: str | None, force: bool) -> None:
    """Import the exercises in SOURCE, and say what is wrong with them.

    SOURCE is a module with a test_*.py beside it or with examples in its docstrings, a Jupyter
    notebook with asserts or with nbgrader's or Otter's marks, a document with exercise blocks in it
    (text, Markdown, HTML), a folder with a problem (description.md, starter_code.py, solution.py,
    tests.json) or a practice exercise of Exercism's (.meta/config.json), or a folder of such files
    and folders. Every repair is reported, what the format cannot express is kept as a comment, and
    everything runs in the sandbox alone. No source has misconceptions; `etude verify` asks for
    them.

    Exit status: 0 all imported and proven, 1 imported with findings, 2 nothing to import.

    \b
    Examples:
      etude import lesson.md --into drafts
      etude import problems/ --into exercises --track linear-algebra
    """
    if track is not None and make_slug(track) != track:
        raise UsageError(f"--track: {track!r} is not lower-case words joined by hyphens")
    source_drafts = read_source(source)
    problems = {draft.id: validate_draft(draft) for draft in source_drafts.drafts}
    paths = plan_files(source_drafts.drafts, into, track, force=force)
    drafts = dict(zip(paths, source_drafts.drafts, strict=True))
    for path, draft in drafts.items():
        write_text(path, format_definition(draft))
    if track is not None and drafts:
        write_text(
            into / track / "track.yaml", format_track(track, source_drafts.drafts, source.name)
        )
    proofs = _verify([exercise for exercise in map(load_if_valid, drafts) if exercise is not None])
    for path, proof in proofs.items():
        if correct_tests(drafts[path], proof.printed, proof.changing):
            write_text(path, format_definition(drafts[path]))
    for path, error in _lint_errors(list(proofs)):
        if not any(error.message in sentence for sentence in proofs[path].sentences):
            message = f"line {error.where.line}: {error.message} ({error.rule.code})"
            proofs[path].sentences.append(message)
    click.echo(write_report(source_drafts, drafts, problems, proofs))
    if any(proof.faults for proof in proofs.values()):
        raise click.exceptions.Exit(EXIT_FAULT)
    proven = len(proofs) == len(drafts) and all(proof.is_proven for proof in proofs.values())
    raise click.exceptions.Exit(0 if proven and not source_drafts.failures else EXIT_NOT_PASSED)


def _lint_errors(paths: list[Path]) -> Iterator[tuple[Path, LintFinding]]:
    """Yield the lint errors in files, which `etude verify` also refuses."""
    for path in paths:
        for finding in lint([TargetGroup((path,))], unshowable=unshowable).findings:
            if finding.rule.level == "error" and finding.rule.code not in _SKIPPED_RULES:
                yield path, finding


def _verify(exercises: Sequence[Exercise]) -> dict[Path, ImportProof]:
    if not exercises:
        return {}
    opener = options.sandbox_opener(unsafe=False, workers=_WORKER_COUNT)
    with WorkerPool(_WORKER_COUNT, opener) as pool, progress(len(exercises)) as advance:
        return verify_imported(exercises, pool, leak_finder(), advance)
