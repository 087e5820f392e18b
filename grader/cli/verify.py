"""`etude verify`: prove exercises before publication."""

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console

from grader import __version__
from grader.authoring.add_entry import add_entry
from grader.authoring.lint.lint_report import lint
from grader.authoring.lint.load import LoadedFiles
from grader.authoring.targets import TargetGroup, find_targets
from grader.authoring.verify.breaking_calls import with_breaking_calls
from grader.authoring.verify.leaks import begin_to_find_leaks
from grader.authoring.verify.proof import Proof, make_record
from grader.authoring.verify.proof_cache import ProofCache
from grader.authoring.verify.proof_formats import print_proofs, to_sarif
from grader.authoring.verify.verification import (
    FindLeaks,
    add_lint_errors,
    begin_verification,
    prove_pending,
)
from grader.cli import options
from grader.cli.file_watcher import modification_times, rebuild_on_change
from grader.cli.main import EXIT_FAULT, EXIT_NOT_PASSED, EXIT_USAGE
from grader.cli.progress_bar import progress
from grader.definitions.exercise import Exercise
from grader.definitions.files import course_file, exists
from grader.definitions.track import Track, TrackDefinition, TrackId
from grader.disk_cache import cache_folder, find_package, fingerprint
from grader.errors import UsageError
from grader.grading.expected.public_form import public_track
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.process import Sandbox
from sitegen.markdown import unshowable
from sitegen.package_data import find_data
from sitegen.pages import render_pages

_STATUS = {"proven": 0, "not proven": EXIT_NOT_PASSED, "invalid": EXIT_USAGE, "fault": EXIT_FAULT}
_PACKAGES = ("authoring/lint", "authoring/verify", "definitions", "grading", "mutation", "sandbox")


@click.command("verify")
@click.argument("targets", nargs=-1, metavar="[EXERCISE|TRACK|PATH]...")
@options.jobs_option("programs to run")
@options.output_option("Also write the record here, as JSON.")
@click.option(
    "--accept", is_flag=True, help="List surviving mutants as equivalent, with a reason for each."
)
@click.option("--reason", metavar="TEXT", help="The reason for --accept, which asks otherwise.")
@click.option("--change", metavar="CHANGE", help="The mutant that --accept is about.")
@click.option("--watch", is_flag=True, help="Go on, and prove again what changes.")
@click.option("-v", "--verbose", is_flag=True, help="Show all notes, and what the inputs reach.")
@click.option("--breaks", is_flag=True, help="Search for calls that break misconceptions, too.")
@click.option("--no-cache", is_flag=True, help="Prove again what has been proven before.")
@options.exercises_option
@options.format_option("text", "json", "sarif")
def command(
    targets: tuple[str, ...],
    jobs: int,
    output: Path | None,
    accept: bool,
    reason: str | None,
    change: str | None,
    watch: bool,
    verbose: bool,
    breaks: bool,
    no_cache: bool,
    exercises: tuple[Path, ...],
    form: str,
) -> None:
    """Prove exercises: all of the collection, or those that are named.

    The solution passes and the starter does not; every test can fail; hidden tests reject every
    misconception and every mutant of the solution; what is written down is true; nothing is flaky,
    near the limits, or visible that should be hidden; `etude lint` finds no error. A name is an
    exercise or a track of the collection, or the path of a definition or a folder.

    \b
    Examples:
      etude verify
      etude verify attention-weights
      etude verify drafts/07-rope.yaml --watch
      etude verify drafts/07-rope.yaml --accept
    """
    folders = options.collection_for(targets, exercises)
    groups = find_targets(targets, *folders)
    if watch:
        _watch(groups, sys.argv[1:])
    if (reason or change) and not accept:
        raise UsageError("--reason and --change go with --accept")
    collection = () if targets else folders
    proofs = _prove(groups, collection, jobs, use_cache=not no_cache)
    if accept and _accept(proofs, reason, change):
        proofs = _prove(groups, collection, jobs, use_cache=not no_cache)
    if breaks:
        with WorkerPool(jobs, options.sandbox_opener(unsafe=False, workers=jobs)) as pool:
            proofs = with_breaking_calls(proofs, pool)
    data = make_record({os.fspath(path): proof for path, proof in proofs.items()}, __version__)
    if output is not None:
        options.write_file(output, json.dumps(data, indent=2) + "\n")
    if form == "json":
        click.echo(json.dumps(data, indent=2))
    elif form == "sarif":
        click.echo(json.dumps(to_sarif(proofs, Path.cwd()), indent=2, ensure_ascii=False))
    else:
        print_proofs(Console(highlight=False), proofs, verbose=verbose)
    raise click.exceptions.Exit(max(_STATUS[proof.status] for proof in proofs.values()))


def _prove(
    groups: Sequence[TargetGroup], collection: Sequence[Path], jobs: int, *, use_cache: bool
) -> dict[Path, Proof]:
    cache = ProofCache(cache_folder("verify"), fingerprint(_proof_sources())) if use_cache else None
    definitions = LoadedFiles.load(groups, collection)
    verification = begin_verification(groups, definitions, cache)
    if verification.to_prove:
        opener = options.sandbox_opener(unsafe=False, workers=jobs)
        with (
            WorkerPool(jobs, opener) as pool,
            progress(len(verification.to_prove), "proved") as advance,
        ):
            for _ in prove_pending(verification, pool, leak_finder(), cache):
                advance()
        if cache is not None:
            cache.tidy()
    report = lint(groups, collection, unshowable=unshowable, definitions=definitions)
    add_lint_errors(verification, report)
    if not verification.select_finished():
        raise UsageError("there is nothing to verify")
    return verification.select_finished()


def _accept(proofs: Mapping[Path, Proof], reason: str | None, change: str | None) -> bool:
    """Write surviving mutants into the files with a reason; return whether there were any.

    Raises:
        UsageError: No mutant matches, or one reason would apply to several.
    """
    survivors = [
        (path, finding)
        for path, proof in proofs.items()
        for finding in proof.findings
        if finding.change and change in (None, finding.change)
    ]
    if not survivors:
        refusal = "no mutant survives" if change is None else f"no mutant {change!r} survives"
        raise UsageError(f"{refusal}, so there is nothing to accept")
    if reason is not None and len(survivors) > 1:
        changes = "".join(f"\n  {finding.change}" for _, finding in survivors)
        raise UsageError(
            f"{len(survivors)} mutants survive, and each needs a reason of its own; name one of "
            f"them with --change:{changes}"
        )
    is_changed = False
    for path, finding in survivors:
        why = reason
        if why is None:
            click.echo(f"{path}:{finding.line}: {finding.change}\n{finding.diff}", err=True)
            why = click.prompt(
                "Why does it make no difference? (Enter leaves it as it is)",
                default="", show_default=False, err=True,
            )  # fmt: skip
        if why.strip():
            entry = {"change": finding.change, "reason": why.strip()}
            line = add_entry(path, "equivalent", entry)
            click.echo(f"{path}:{line}: listed as equivalent: {finding.change}", err=True)
            is_changed = True
    return is_changed


def leak_finder() -> FindLeaks:
    """Return the search for hidden content in public output, including the site's pages."""
    folders = (find_package("sitegen"), find_data("templates"), find_data("assets"))
    return functools.partial(begin_to_find_leaks, render=_track_pages, readable=folders)


def _track_pages(exercise: Exercise, sandbox: Sandbox | None) -> Iterator[tuple[str, bytes]]:
    """Render the site of a track that contains only this exercise."""
    definition = TrackDefinition(
        exercise.where, TrackId("track"), "Track", "A track.", (exercise.id,)
    )
    track = Track(definition, (exercise,))
    for path, html in render_pages([public_track(track, sandbox)]):
        yield f"the page {path}", html


def _proof_sources() -> list[Path]:
    """Return the folders whose sources affect the result of a proof."""
    grader = Path(__file__).parents[1]
    ours = [grader / name for name in _PACKAGES]
    return [*ours, find_package("reference"), find_package("sitegen"), find_data("templates")]


def _watch(groups: Sequence[TargetGroup], arguments: Sequence[str]) -> None:
    """Run this command without `--watch` now and after each change, until interrupted.

    Each run is a separate process, so that changes to the reference take effect.
    """
    command = options.etude_command(*(each for each in arguments if each != "--watch"))
    folders = {
        path.parent for group in groups for path in [*group.files, *filter(None, [group.track])]
    }
    courses = {course_file(path) for group in groups for path in group.files}
    folders |= {path.parent for path in courses if exists(path)}

    def run() -> None:
        subprocess.run(command, check=False)  # noqa: S603  our own command
        click.echo("Waiting for changes; Ctrl-C ends.", err=True)

    paths = [*folders, *_proof_sources()]
    before = modification_times(paths)
    run()
    rebuild_on_change(paths, run, before)
