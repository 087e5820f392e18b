"""Sentences that all formats of an audit share."""

from collections.abc import Sequence
from typing import Final

from grader.audit.result import Audit, CheckName, SuiteCheck, Survivor
from grader.definitions.wording import plural
from grader.reports.phrases import to_one_line

EQUIVALENT: Final = (
    "No call was found that tells these from the solution. They may mean the same, so none counts:"
)
UNTRIED: Final = "No test that the solution passes runs these lines, so none was tried or counts:"
UNREAD: Final = "These differ in an attribute alone that no test reads, so none counts:"
ACCEPTED: Final = "Named in the file of accepted ones, so none counts:"

_GRAVE: Final[tuple[CheckName, ...]] = (
    "solution passes",
    "starter fails",
    "order",
    "never calls",
    "accepts sevens",
)
_MAX_NAMES: Final = 3  # known mistakes named in the headline
_VERDICTS: Final = ("hole", "note", "ok")


def headline(audit: Audit) -> list[str]:
    """Return the findings as sentences, the gravest first; there is at least one."""
    holes = [check for check in sort_checks(audit.checks) if check.verdict == "hole"]
    failures = [check for check in holes if check.name == "solution passes"]
    sentences = [to_one_line(check.sentence) for check in failures]
    survivors = sort_survivors(audit.survivors)
    wrong = [survivor for survivor in survivors if survivor.misconception]
    mutants = [survivor for survivor in survivors if not survivor.misconception]
    if wrong:
        whole = plural(max(audit.misconceptions, len(wrong)), "known mistake")
        named = ", ".join(
            to_one_line(survivor.misconception or "") for survivor in wrong[:_MAX_NAMES]
        )
        sentences.append(
            f"{len(wrong)} of {whole} {_pass(len(wrong))} all tests; "
            f"the first: {_with_full_stop(named)}"
        )
    sentences += [to_one_line(check.sentence) for check in holes if check not in failures]
    if mutants:
        sentences.append(
            f"{plural(len(mutants), 'small change')} of the solution {_pass(len(mutants))} all "
            f"tests; the first: {_with_full_stop(to_one_line(mutants[0].change))}"
        )
    if not sentences and not audit.killed:
        return ["No hole was found; no wrong program could be made of the solution."]
    programs = "the wrong program" if audit.killed == 1 else f"all {audit.killed} wrong programs"
    untried = f", but {len(audit.untried)} more were not tried" if audit.untried else ""
    return sentences or [f"No hole was found: the tests reject {programs}{untried}."]


def _pass(number: int) -> str:
    return "passes" if number == 1 else "pass"


def _with_full_stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def score(audit: Audit) -> str:
    """Return a sentence with the score."""
    left = plural(len(audit.untried), "further change")
    verb = "was" if len(audit.untried) == 1 else "were"
    untried = f" {left} {verb} not tried." if audit.untried else ""
    if not audit.distinguishable:
        return f"There is no score: no wrong program was tried.{untried}"
    return (
        f"The tests reject {audit.killed} of {plural(audit.distinguishable, 'wrong program')} "
        f"({percent(audit.killed, audit.distinguishable)}).{untried}"
    )


def percent(part: int, whole: int) -> str:
    """Return a share in percent; 100 % and 0 % only if it is exactly all or none."""
    if not whole:
        return "100 %"
    rounded = round(100 * part / whole)
    if part < whole:
        rounded = min(rounded, 99)
    return f"{max(rounded, 1 if part else 0)} %"


def summary_of_all(audits: Sequence[Audit]) -> str:
    """Return a sentence that sums up several audits."""
    holes = sum(audit.has_holes for audit in audits)
    killed = sum(audit.killed for audit in audits)
    total = sum(audit.distinguishable for audit in audits)
    return (
        f"{holes} of {plural(len(audits), 'assignment')} {'has' if holes == 1 else 'have'} holes. "
        f"The tests reject {killed} of {plural(total, 'wrong program')} ({percent(killed, total)})."
    )


def sort_checks(checks: Sequence[SuiteCheck]) -> list[SuiteCheck]:
    """Sort checks: holes first, and the gravest hole at the front."""
    return sorted(
        checks,
        key=lambda check: (
            _VERDICTS.index(check.verdict),
            _GRAVE.index(check.name) if check.name in _GRAVE else len(_GRAVE),
        ),
    )


def sort_survivors(survivors: Sequence[Survivor]) -> list[Survivor]:
    """Sort survivors: known mistakes before mutants.

    Among the mutants, omissions come first and changes of dtype last.
    """
    return sorted(
        survivors,
        key=lambda survivor: (
            survivor.misconception is None,
            survivor.operator in ("drop-dtype", "other-dtype"),
            not survivor.operator.startswith("drop-"),
        ),
    )


def find_repeated_tests(survivors: Sequence[Survivor]) -> dict[str, str]:
    """Return the test names, by change, of survivors whose test repeats an earlier survivor's."""
    earlier_tests: set[str] = set()
    repeated: dict[str, str] = {}
    for survivor in survivors:
        if survivor.test in earlier_tests:
            repeated[survivor.change] = survivor.test_name
        if survivor.test:
            earlier_tests.add(survivor.test)
    return repeated


def call_rows(survivor: Survivor) -> list[tuple[str, str]]:
    """Return rows with the revealing call and the results of both programs."""
    if survivor.example is None:
        return []
    rows = [("call", survivor.example), ("solution", survivor.expected), ("survivor", survivor.got)]
    return [(name, text) for name, text in rows if text is not None]
