"""The report of a lint run: the findings of all rules in a set of files."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from grader.authoring.lint.catalogue import CATALOGUE
from grader.authoring.lint.load import LintInput, LoadedFiles, load_for_lint
from grader.authoring.lint.rule import LintFinding
from grader.authoring.lint.rules.file_text import invalid_definition
from grader.authoring.lint.subjects import PageText
from grader.authoring.lint.suppressions import Suppressions, find_comments
from grader.authoring.targets import TargetGroup
from grader.errors import Problem

FindUnshowable: TypeAlias = Callable[[str, Path, bool], Sequence[Problem]]
"""Finds the parts of Markdown in a file that a page cannot show, with lines and columns.

The last argument is True if the text may contain images.
"""

_WITHOUT_IMAGES = frozenset({"description", "feedback"})  # shown on more than one page


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of all files, sorted by file and line."""

    findings: tuple[LintFinding, ...]
    files: tuple[Path, ...]
    silenced: int = 0  # number of findings that a comment in the file silences

    def count(self, level: str) -> int:
        """Return the number of findings of a level."""
        return sum(finding.rule.level == level for finding in self.findings)

    @property
    def is_clean(self) -> bool:
        """True without errors and warnings; notes are allowed."""
        return not self.count("error") and not self.count("warning")


def lint(
    groups: Sequence[TargetGroup],
    collection: Sequence[Path] = (),
    codes: frozenset[str] = frozenset(CATALOGUE),
    unshowable: FindUnshowable | None = None,
    definitions: LoadedFiles | None = None,
) -> LintReport:
    """Check files without running any of their code.

    Args:
        collection: The collection's folders, if the groups are their whole content; enables the
            checks across tracks.
        unshowable: Called for each text that learners read; None to skip the check of pages.
        definitions: The groups' definitions, if they are loaded already.

    Raises:
        UsageError: A file or folder does not exist.
    """
    definitions = definitions or LoadedFiles.load(groups, collection)
    loaded = load_for_lint(groups, definitions, is_collection=bool(collection))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # parsing warns of doubtful escapes
        all_findings = list(_find_all(loaded, codes, unshowable))
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
        findings += _run_rules(Suppressions(file_comments, frozenset(CATALOGUE), codes), codes)
    order = {path: number for number, path in enumerate(comments)}
    findings.sort(
        key=lambda f: (order.get(f.where.path, len(order)), f.where, f.rule.code, f.message)
    )
    return LintReport(tuple(findings), tuple(file.path for file in loaded.files), silenced)


def _find_all(
    loaded: LintInput, codes: frozenset[str], unshowable: FindUnshowable | None
) -> Iterator[LintFinding]:
    """Yield the findings of all rules except those about suppressions."""
    for subject in (loaded.problems, *loaded.files, *loaded.exercises, *loaded.tracks):
        yield from _run_rules(subject, codes)
    exercises = (exercise.prose() for exercise in loaded.exercises)
    for prose in chain(*exercises, *(track.prose() for track in loaded.tracks)):
        findings = list(_run_rules(prose, codes))
        yield from findings
        if unshowable is not None:
            with_images = prose.label not in _WITHOUT_IMAGES
            page_text = PageText(prose, unshowable(prose.text, prose.path, with_images))
            # Unclosed maths is reported once.
            lines = {finding.where.line for finding in findings}
            on_page = _run_rules(page_text, codes)
            yield from (finding for finding in on_page if finding.where.line not in lines)


def _run_rules(subject: object, codes: frozenset[str]) -> Iterator[LintFinding]:
    for rule in CATALOGUE.values():
        if rule.subject is type(subject) and rule.code in codes:
            for problem in rule.check(subject):
                yield LintFinding(problem.where, problem.message, rule)
