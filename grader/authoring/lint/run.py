"""Running the rules over files."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from grader.authoring.lint.catalogue import CATALOGUE, EXERCISE_RULES
from grader.authoring.lint.comments import Comments, find_comments
from grader.authoring.lint.load import LintInput, LintTargets, load_for_lint
from grader.authoring.lint.rule import LintFinding, Rule
from grader.authoring.lint.rules.file_style import COMMENT_RULES, FILE_RULES, invalid_definition
from grader.authoring.lint.rules.markdown_style import PAGE_RULES, PROSE_RULES
from grader.authoring.lint.rules.track_style import TRACK_RULES
from grader.authoring.lint.subjects import PageText, ProseText
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
    groups: Sequence[LintTargets],
    collection: Path | None = None,
    codes: frozenset[str] = frozenset(CATALOGUE),
    unshowable: FindUnshowable | None = None,
) -> LintReport:
    """Look at files; nothing in them is executed.

    Args:
        groups: what to look at.
        collection: the folder, if the groups are all that is in it; then what only shows across
            tracks is found, too.
        codes: the rules to run.
        unshowable: asked about each text that learners read, if there is a page to ask.

    Raises:
        UsageError: there is no such file or folder.
    """
    loaded = load_for_lint(groups, collection)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python remarks on doubtful escapes while it parses
        found = list(_look(loaded, codes, unshowable))
    comments = {path: Comments(find_comments(path, lines), frozenset(CATALOGUE), codes)
                for path, lines in _texts(loaded).items()}  # fmt: skip
    kept = [finding for finding in found if not _is_silenced(finding, comments)]
    for each in comments.values():
        kept += _run(COMMENT_RULES, each, codes)
    order = {path: number for number, path in enumerate(comments)}
    kept.sort(key=lambda f: (order.get(f.where.path, len(order)), f.where, f.about.code, f.message))
    files = tuple(file.path for file in loaded.files)
    return LintReport(tuple(kept), files, len(found) - len(kept) + _own(kept))


def _own(findings: Iterable[LintFinding]) -> int:
    """Count the findings about comments, which were added after the silencing."""
    about_comments = {rule.about.code for rule in COMMENT_RULES}
    return sum(finding.about.code in about_comments for finding in findings)


def _look(
    loaded: LintInput, codes: frozenset[str], unshowable: FindUnshowable | None
) -> Iterator[LintFinding]:
    for problem in loaded.problems:
        yield LintFinding(problem.where, problem.message, invalid_definition.about)
    for file in loaded.files:
        yield from _run(FILE_RULES, file, codes)
    for subject in loaded.exercises:
        yield from _run(EXERCISE_RULES, subject, codes)
        for prose in subject.prose():
            yield from _prose(prose, codes, unshowable)
    for track in loaded.tracks:
        yield from _run(TRACK_RULES, track, codes)
        for prose in track.prose():
            yield from _prose(prose, codes, unshowable)


def _prose(
    prose: ProseText, codes: frozenset[str], unshowable: FindUnshowable | None
) -> Iterator[LintFinding]:
    told = list(_run(PROSE_RULES, prose, codes))
    yield from told
    if unshowable is not None:
        with_images = prose.label not in _WITHOUT_IMAGES
        text = PageText(prose, unshowable(prose.text, prose.path, with_images))
        lines = {finding.where.line for finding in told}  # what is never closed is told once
        for finding in _run(PAGE_RULES, text, codes):
            if finding.where.line not in lines:
                yield finding


def _run(rules: Iterable[Rule[S]], subject: S, codes: frozenset[str]) -> Iterator[LintFinding]:
    for rule in rules:
        if rule.about.code in codes:
            for problem in rule.check(subject):
                yield LintFinding(problem.where, problem.message, rule.about)


def _texts(loaded: LintInput) -> dict[Path, list[str]]:
    """Return the lines of every file that a finding can be in."""
    texts = {file.path: file.lines for file in loaded.files}
    for track in loaded.tracks:
        texts |= {lesson.path: lesson.text.splitlines() for lesson in track.lessons.values()}
    return texts


def _is_silenced(finding: LintFinding, comments: Mapping[Path, Comments]) -> bool:
    if finding.about is invalid_definition.about or finding.where.path not in comments:
        return False
    return comments[finding.where.path].silences(finding.about.code, finding.where.line)
