"""The run of the rules over files."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypeVar

from grader.authoring.lint.catalogue import CATALOGUE, EXERCISE_RULES
from grader.authoring.lint.load import LintInput, load_for_lint
from grader.authoring.lint.rule import LintFinding, Rule
from grader.authoring.lint.rules.file_style import COMMENT_RULES, FILE_RULES, invalid_definition
from grader.authoring.lint.rules.markdown_style import PAGE_RULES, PROSE_RULES
from grader.authoring.lint.rules.track_style import TRACK_RULES
from grader.authoring.lint.subjects import PageText
from grader.authoring.lint.suppressions import Suppressions, find_comments
from grader.authoring.targets import TargetGroup
from grader.errors import Problem

S = TypeVar("S")

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
        return sum(finding.about.level == level for finding in self.findings)

    @property
    def is_clean(self) -> bool:
        """Return whether there are neither errors nor warnings; notes may be there."""
        return not self.count("error") and not self.count("warning")


def lint(
    groups: Sequence[TargetGroup],
    collection: Path | None = None,
    codes: frozenset[str] = frozenset(CATALOGUE),
    unshowable: FindUnshowable | None = None,
) -> LintReport:
    """Look at files; nothing in them is executed.

    Args:
        collection: The folder, if the groups are all that is in it; then what only shows across
            tracks is found, too.
        unshowable: Asked about each text that learners read, if there is a page to ask.

    Raises:
        UsageError: There is no such file or folder.
    """
    loaded = load_for_lint(groups, collection)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python remarks on doubtful escapes while it parses
        result = list(_look(loaded, codes, unshowable))
    texts = {file.path: file.lines for file in loaded.files}
    for track in loaded.tracks:
        texts |= {lesson.path: lesson.text.splitlines() for lesson in track.lessons.values()}
    comments = {path: find_comments(path, lines) for path, lines in texts.items()}
    findings = []
    for finding in result:
        code, where = finding.about.code, finding.where
        silencing = [
            comment
            for comment in comments.get(where.path, ())
            if comment.line == where.line and code in comment.codes and comment.reason
        ]
        if finding.about is invalid_definition.about or not silencing:
            findings.append(finding)
            continue
        for comment in silencing:
            comment.used.add(code)
    silenced = len(result) - len(findings)
    for each in comments.values():
        findings += _run(COMMENT_RULES, Suppressions(each, frozenset(CATALOGUE), codes), codes)
    order = {path: number for number, path in enumerate(comments)}
    findings.sort(
        key=lambda f: (order.get(f.where.path, len(order)), f.where, f.about.code, f.message)
    )
    return LintReport(tuple(findings), tuple(file.path for file in loaded.files), silenced)


def _look(
    loaded: LintInput, codes: frozenset[str], unshowable: FindUnshowable | None
) -> Iterator[LintFinding]:
    """Yield what the rules find, except those about comments."""
    for problem in loaded.problems:
        yield LintFinding(problem.where, problem.message, invalid_definition.about)
    for file in loaded.files:
        yield from _run(FILE_RULES, file, codes)
    for subject in loaded.exercises:
        yield from _run(EXERCISE_RULES, subject, codes)
    for track in loaded.tracks:
        yield from _run(TRACK_RULES, track, codes)
    exercises = (each.prose() for each in loaded.exercises)
    for prose in chain(*exercises, *(track.prose() for track in loaded.tracks)):
        findings = list(_run(PROSE_RULES, prose, codes))
        yield from findings
        if unshowable is not None:
            with_images = prose.label not in _WITHOUT_IMAGES
            text = PageText(prose, unshowable(prose.text, prose.path, with_images))
            lines = {
                finding.where.line for finding in findings
            }  # maths that is never closed is told once
            for finding in _run(PAGE_RULES, text, codes):
                if finding.where.line not in lines:
                    yield finding


def _run(rules: Iterable[Rule[S]], subject: S, codes: frozenset[str]) -> Iterator[LintFinding]:
    for rule in rules:
        if rule.about.code in codes:
            for problem in rule.check(subject):
                yield LintFinding(problem.where, problem.message, rule.about)
