"""`etude preview`: an exercise's page while it is being written, with what lint and verify say."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.authoring.verify.checks import LINT
from grader.cli import options
from grader.cli.file_watcher import changed, rebuild_on_change
from grader.errors import DefinitionError, UsageError

if TYPE_CHECKING:
    from sitegen.from_collection.builder import ContentBuilder
    from sitegen.live import LiveSite

_DEEP = 2  # slashes in the path of an exercise's page


@click.command("preview", short_help="Show an exercise's page while you write it.")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@options.port_option
def command(file: Path, port: int) -> None:
    """Show the page of the exercise in FILE, and what lint and verify say of it.

    The page reloads when the file changes. Only this machine can see it.

    \b
    Example:
      etude preview exercises/attention/13-attention-weights.yaml
    """
    options.prefer_own_output()
    if file.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{file} is no definition: its name ends in .yaml")
    from sitegen.from_collection.builder import ContentBuilder
    from sitegen.live import LiveSite

    with ContentBuilder() as builder:
        builder.fork_now()
        with LiveSite(port) as site:
            preview = _Preview(file, site, builder)
            seen = changed([file])
            preview.show()
            click.echo(f"{site.url}{preview.path} (Ctrl-C ends)")
            rebuild_on_change([file], preview.show, seen)


class _Preview:
    """The page of one file: shown at once, and again when the proof is there."""

    def __init__(self, file: Path, site: "LiveSite", builder: "ContentBuilder") -> None:
        self._file = file
        self._site = site
        self._workshop = builder
        self._round = 0
        self.path = ""  # of the exercise's page, once there was one

    def show(self) -> None:
        """Publish the page as the file is now, and begin to prove it."""
        from grader.definitions.collection import load_exercise
        from sitegen.build import site_files
        from sitegen.content import Content

        self._round += 1
        try:
            # A site that has this exercise alone.
            page = site_files(self._workshop.exercise(load_exercise(self._file)))
        except DefinitionError as error:
            empty = site_files(Content())
            self._publish(empty, "Not a valid definition", [str(p) for p in error.problems])
            return
        for each in page:
            # <track>/<exercise>/index.html
            if each.endswith(".html") and each.count("/") == _DEEP:
                self.path = each
                break
        found = _run("lint", self._file)["findings"]
        findings = [f"line {each['line']}, {each['code']}: {each['message']}" for each in found]
        self._publish(page, "Being verified …", findings)
        arguments = (self._round, page, findings)
        threading.Thread(target=self._prove, args=arguments, daemon=True).start()

    def _prove(self, number: int, page: dict[str, bytes], findings: list[str]) -> None:
        proof = _run("verify", self._file)
        if number != self._round:  # something newer is shown by now
            return
        (found,) = proof["exercises"]
        counts, status = found["counts"], found["status"]
        heading = {"proven": "Proven", "not proven": "Not proven"}.get(status, status)
        numbers = (
            f"{counts['tests']} tests ({counts['hidden']} hidden), "
            f"{counts['rejected']} of {counts['misconceptions']} misconceptions rejected, "
            f"{counts['killed']} of {counts['mutants'] - counts['equivalent']} mutants killed"
        )
        lines = [_line(each) for each in found["findings"] if each["check"] != LINT]
        notes = [f"note: {_line(each)}" for each in found["notes"]]
        self._publish(page, f"{heading}: {numbers}", [*lines, *findings, *notes])

    def _publish(self, page: dict[str, bytes], heading: str, lines: list[str]) -> None:
        from sitegen.authoring import with_panel

        self._site.publish(with_panel(page, heading, lines))


def _line(finding: dict[str, Any]) -> str:
    below = f"\n{finding['diff']}" if finding["diff"] else ""
    return f"line {finding['line']}, {finding['check']}: {finding['message']}{below}"


def _run(name: str, file: Path) -> dict[str, Any]:
    """Run one of our commands in a process of its own, so that the server stays as it is."""
    words = (name, str(file.resolve()), "--format", "json")
    command = [sys.executable, "-P", "-m", "grader.cli", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  our own
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise UsageError(f"etude {name} failed: {done.stderr.strip()}") from None
    return answer
