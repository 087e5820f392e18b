"""`etude preview`: pages of exercises during writing, with the findings of lint and verify."""

import json
import subprocess
import threading
from pathlib import Path

import click

from grader.authoring.lint.lint_report import lint
from grader.authoring.targets import find_targets
from grader.authoring.verify.check_names import LINT
from grader.authoring.verify.proof import Proof, ProofFinding, read_proof
from grader.cli import options
from grader.cli.file_watcher import modification_times, rebuild_on_change
from grader.definitions.collection import load_exercise_file
from grader.definitions.files import course_file
from grader.definitions.images import image_files
from grader.errors import EtudeError, UsageError
from sitegen.authoring import Panel, with_panels
from sitegen.build import make_files
from sitegen.content import Content
from sitegen.from_collection.builder import ContentBuilder, open_site_cache
from sitegen.live import LiveSite
from sitegen.markdown import unshowable

_MAX_PROOFS = 3  # most exercises proved after a change; a new course.yaml changes every exercise


@click.command("preview")
@click.argument("path", type=options.EXISTING_PATH)
@options.port_option
def command(path: Path, port: int) -> None:
    """Show the page of the exercise in PATH, and what lint and verify say of it.

    With the folder of a course it shows all its tracks, lessons and exercises, and proves each
    exercise that changes. Pages reload when a file changes. What is wrong in one file stands on its
    own page. Only this machine can see them.

    \b
    Examples:
      etude preview exercises/attention/13-attention-weights.yaml
      etude preview linear-algebra/
    """
    if not path.is_dir() and path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{path} is not a definition: its name ends in .yaml; or name a folder")

    with ContentBuilder(cache=open_site_cache()) as builder:
        builder.start_author_process()
        with LiveSite(port) as site:
            preview = _LivePages(path, site, builder)
            times = modification_times([path])
            preview.show()
            times = modification_times(preview.watched) | times
            click.echo(f"{site.url}{preview.path} (Ctrl-C ends)")
            rebuild_on_change(preview.watched, preview.show, times)


class _LivePages:
    """The pages of a file or folder, published at once and again when a proof is ready."""

    def __init__(self, path: Path, site: LiveSite, builder: ContentBuilder) -> None:
        self._path = path
        self._site = site
        self._builder = builder
        self._digests: dict[Path, str] = {}  # digests of valid exercises, by file
        self._proofs: dict[Path, Panel] = {}
        self.path = ""  # path of the first page
        self.watched = {path}

    def show(self) -> None:
        """Publish the pages for the current files, and start proofs of changed exercises."""
        try:
            content, pages, failures = self._content()
            files = make_files(content, failures=failures)
        except EtudeError as error:
            # No page can be shown.
            self._pages, self._digests = {}, {}
            self._page = make_files(Content()), ("Not a valid definition", _nonempty_lines(error))
            self._publish()
            return
        self._pages = {path: (page, list[str]()) for path, page in pages.items()}
        by_file = {path.resolve(): path for path in pages}
        everything = []
        groups = find_targets([str(self._path.resolve())], Path())
        for finding in lint(groups, unshowable=unshowable).findings:
            where, rule = finding.where, finding.rule
            line = f"line {where.line}, {rule.code}: {finding.message}"
            everything.append(f"{where.path}, {line}")
            if path := by_file.get(where.path.resolve()):
                self._pages[path][1].append(line)
                if rule.level == "error":  # the error page already says the same
                    failures.pop(pages[path], None)
        for page, lines in self._pages.values():
            lines.extend(failure := _nonempty_lines(failures.get(page, "")))
            everything += failure
        before, exercises = self._digests, [e for track in content.tracks for e in track.exercises]
        self._digests = {exercise.file: exercise.digest for exercise in exercises if exercise.file}
        changes = [path for path, digest in self._digests.items() if digest != before.get(path)]
        self._proofs = {path: proof for path, proof in self._proofs.items() if path not in changes}
        if self._path.is_file() or (before and len(changes) <= _MAX_PROOFS):
            for path in filter(self._digests.get, changes):
                self._proofs[path] = "Being verified …", []
                arguments = (path, self._digests[path])
                threading.Thread(target=self._prove, args=arguments, daemon=True).start()
        self._page = files, ("Findings in this preview", everything)
        self._publish()

    def _content(self) -> tuple[Content, dict[Path, str], dict[str, str]]:
        """Return the content, the page path of each file, and the errors of the other files."""
        if self._path.is_dir():
            return self._builder.build_draft(self._path)

        self.watched.update(image_files(self._path))
        exercise = load_exercise_file(self._path)
        course = course_file(self._path).parent
        self.watched.update(course / file for file in (*exercise.files, *exercise.hidden_files))
        self.path = f"preview/{exercise.id}/index.html"
        return self._builder.build_exercise(exercise), {self._path: self.path}, {}

    def _prove(self, path: Path, digest: str) -> None:
        proof = _verify(path)
        if self._digests.get(path) != digest:  # a newer version is already shown
            return
        counts = proof.counts
        headings = {"proven": "Proven", "not proven": "Not proven"}
        heading = headings.get(proof.status, proof.status)
        numbers = (
            f"{counts.tests} tests ({counts.hidden} hidden), "
            f"{counts.rejected} of {counts.misconceptions} misconceptions rejected, "
            f"{counts.killed} of {counts.mutants - counts.equivalent} mutants killed"
        )
        lines = [_finding_text(finding) for finding in proof.findings if finding.check != LINT]
        lines += [f"note: {_finding_text(note)}" for note in proof.notes]
        self._proofs[path] = f"{heading}: {numbers}", lines
        self._publish()

    def _publish(self) -> None:
        files, other_panel = self._page
        panels = {}
        for path, (page, lines) in self._pages.items():
            heading = "Findings" if path not in self._digests else "Not verified here: save it"
            if self._digests.get(path) == "":
                heading = "Not a valid definition"
            heading, proof = self._proofs.get(path, (heading, []))
            panels[page] = heading, [*proof, *lines]
        self._site.publish(with_panels(files, panels, other_panel))


def _nonempty_lines(error: object) -> list[str]:
    return [line for line in str(error).split("\n") if line]


def _finding_text(finding: ProofFinding) -> str:
    below = f"\n{finding.diff}" if finding.diff else ""
    return f"line {finding.line}, {finding.check}: {finding.message}{below}"


def _verify(path: Path) -> Proof:
    """Prove an exercise in another process, because this one has threads and workers are forks.

    Raises:
        UsageError: The command failed.
    """
    command = options.etude_command("verify", str(path.resolve()), "--format", "json")
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  our own
    try:
        (proof,) = json.loads(done.stdout)["exercises"]
    except ValueError:
        raise UsageError(f"etude verify failed: {done.stderr.strip()}") from None
    return read_proof(proof)
