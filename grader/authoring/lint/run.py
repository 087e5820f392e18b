"""The run of the rules over files."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from grader.authoring.lint.catalogue import CATALOGUE
from grader.authoring.lint.load import Definitions, LintInput, load_for_lint
from grader.authoring.lint.rule import LintFinding
from grader.authoring.lint.rules.file_style import invalid_definition
from grader.authoring.lint.subjects import PageText
from grader.authoring.lint.suppressions import Suppressions, find_comments
from grader.authoring.targets import TargetGroup
from grader.errors import Problem

FindUnshowable: TypeAlias = Callable[[str, Path, bool], Sequence[Problem]]
"""Finds what a page cannot show of the Markdown in a file, with lines and columns of the text.

The last argument says whether images can be in it.
"""

_WITHOUT_IMAGES = frozenset({"description", "feedback"})  # which stand on more pages than one


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings, file by file and in the order of the lines."""

    findings: tuple[LintFinding, ...]
    files: tuple[Path, ...]
    silenced: int = 0  # findings that a comment in the file silences

    def count(self, level: str) -> int:
        """Return how many findings there are of a level."""
        return sum(finding.rule.level == level for finding in self.findings)

    @property
    def is_clean(self) -> bool:
        """Return whether there are neither errors nor warnings; notes may be there."""
        return not self.count("error") and not self.count("warning")


def lint(
    groups: Sequence[TargetGroup],
    collection: Path | None = None,
    codes: frozenset[str] = frozenset(CATALOGUE),
    unshowable: FindUnshowable | None = None,
    definitions: Definitions | None = None,
) -> LintReport:
    """Look at files; nothing in them is executed.

    Args:
        collection: The folder, if the groups are all that is in it; then what only shows across
            tracks is found, too.
        unshowable: Asked about each text that learners read, if there is a page to ask.
        definitions: Those of the groups, if they are loaded already.

    Raises:
        UsageError: There is no such file or folder.
    """
    definitions = definitions or Definitions.load(groups, collection)
    loaded = load_for_lint(groups, definitions, is_collection=collection is not None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python remarks on doubtful escapes while it parses
        all_findings = list(_look(loaded, codes, unshowable))
    texts = {file.path: file.lines for file in loaded.files}
    for track in loaded.tracks:
        texts |= {lesson.path: lesson.text.splitlines() for lesson in track.lessons.values()}
    comments = {path: find_comments(path, lines) for path, lines in texts.items()}
    findings = []
    for finding in all_findings:
        code, where = finding.rule.code, finding.where
        silencing = [
            comment
            for comment in comments.get(where.path, ())
            if comment.line == where.line and code in comment.codes and comment.reason
        ]
        if finding.rule is invalid_definition or not silencing:
            findings.append(finding)
            continue
        for comment in silencing:
            comment.used.add(code)
    silenced = len(all_findings) - len(findings)
    for file_comments in comments.values():
        findings += _run(Suppressions(file_comments, frozenset(CATALOGUE), codes), codes)
    order = {path: number for number, path in enumerate(comments)}
    findings.sort(
        key=lambda f: (order.get(f.where.path, len(order)), f.where, f.rule.code, f.message)
    )
    return LintReport(tuple(findings), tuple(file.path for file in loaded.files), silenced)


def _look(
    loaded: LintInput, codes: frozenset[str], unshowable: FindUnshowable | None
) -> Iterator[LintFinding]:
    """Yield what the rules find, except those about comments."""
    for problem in loaded.problems:
        yield LintFinding(problem.where, problem.message, invalid_definition)
    for subject in (*loaded.files, *loaded.exercises, *loaded.tracks):
        yield from _run(subject, codes)
    exercises = (exercise.prose() for exercise in loaded.exercises)
    for prose in chain(*exercises, *(track.prose() for track in loaded.tracks)):
        findings = list(_run(prose, codes))
        yield from findings
        if unshowable is not None:
            with_images = prose.label not in _WITHOUT_IMAGES
            page_text = PageText(prose, unshowable(prose.text, prose.path, with_images))
            # Maths that is never closed is told once.
            lines = {finding.where.line for finding in findings}
            on_page = _run(page_text, codes)
            yield from (finding for finding in on_page if finding.where.line not in lines)


def _run(subject: object, codes: frozenset[str]) -> Iterator[LintFinding]:
    for rule in CATALOGUE.values():
        if rule.subject is type(subject) and rule.code in codes:
            for problem in rule.check(subject):
                yield LintFinding(problem.where, problem.message, rule)
