"""Checks of a test suite that need no mutants: order, seeds, time, idle tests."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from grader.audit.result import CheckName, CheckVerdict, SuiteCheck
from grader.audit.tasks import PytestResult
from grader.definitions.wording import join_words, plural

_SLOW_SECONDS = 1.0  # a slower test is reported
DENIED = "a file to write, a network or another program, which an audit denies"
_DENIED_ERRORS = ("PermissionError:", "BlockingIOError: [Errno 1]", "OSError: [Errno 1]")
# Errors raised inside libraries: without a network, host names do not resolve.
_DENIED_IN = ("[Errno 1] Operation not permitted", "[Errno -2]", "[Errno -3]")
_MAX_NAMES = 3  # tests named in one sentence


def check_solution(tests: Sequence[PytestResult]) -> SuiteCheck:
    """Report whether the solution passes all tests."""
    failures = [test for test in tests if test.outcome == "failed"]
    name: Final = "solution passes"
    if not failures:
        skipped = sum(test.outcome == "skipped" for test in tests)
        rest = f"; {skipped} are skipped" if skipped else ""
        return SuiteCheck(
            name, "ok", f"The solution passes {plural(len(tests) - skipped, 'test')}{rest}."
        )
    denied_tests = [test for test in failures if is_denied(test)]
    if len(denied_tests) == len(failures):
        sentence = f"{_share(denied_tests, tests)} {_verb('need', denied_tests)} {DENIED}."
        return SuiteCheck(name, "note", sentence, _ids(denied_tests))
    sentence = (
        f"The solution fails {_share(failures, tests)}, left out of the rest; "
        f"the first: {failures[0].message}"
    )
    return SuiteCheck(name, "hole", f"{sentence.removesuffix('.')}.", _ids(failures))


def is_denied(test: PytestResult) -> bool:
    """Return whether a test failed because the sandbox denied it a right."""
    return test.outcome == "failed" and (
        test.message.startswith(_DENIED_ERRORS) or any(text in test.message for text in _DENIED_IN)
    )


def check_starter(passed: Sequence[str], tests: Sequence[str]) -> SuiteCheck:
    """Report whether the starter fails the tests."""
    name: Final = "starter fails"
    if not passed:
        return SuiteCheck(name, "ok", f"The starter fails {_all_tests(len(tests))}.")
    if len(passed) == len(tests):
        return SuiteCheck(
            name, "hole", f"The starter passes {_all_tests(len(tests))}.", tuple(passed)
        )
    sentence = f"The starter passes {_share(passed, tests)}."
    return SuiteCheck(name, "note", sentence, tuple(passed))


def check_order(changed: Sequence[str], run_kind: str) -> SuiteCheck:
    """Report whether results depend on the order of the tests."""
    name: Final = "order"
    if not changed:
        return SuiteCheck(name, "ok", "The tests pass in any order, and when they are repeated.")
    names = f"{_list_names(changed)} {_verb('fail', changed)}"
    sentence = f"{names} {run_kind}, though the solution passes otherwise."
    return SuiteCheck(name, "hole", sentence, tuple(changed))


def check_calls(tests: Sequence[PytestResult]) -> SuiteCheck:
    """Find the tests that never call the solution."""
    idle = [test for test in tests if not test.calls]
    name: Final = "never calls"
    if not idle:
        return SuiteCheck(name, "ok", "Every test calls the solution.")
    sentence = f"{_share(idle, tests)} never {_verb('call', idle)} the solution."
    return SuiteCheck(name, "hole", sentence, _ids(idle))


def check_branches(every: Mapping[int, str], left_out: Mapping[int, str]) -> SuiteCheck:
    """Find the branches that no passing test enters.

    Args:
        every: The function's name by the first line of each such branch.
        left_out: The branches among them that a test enters which fails on the solution.
    """
    holes = {line: name for line, name in every.items() if line not in left_out}
    sentences = [
        f"{subject} {_list_names([f'line {line} of {name}' for line, name in lines.items()])}"
        for subject, lines in (("no test enters", holes), ("only failing tests enter", left_out))
        if lines
    ]
    if not sentences:
        return SuiteCheck("entered", "ok", "The tests enter every branch of what they call.")
    return SuiteCheck(
        "entered", "hole" if holes else "note", _capitalize(f"{'; '.join(sentences)}.")
    )


_RESULTS = {
    "sevens": "a result of the right shape full of sevens",
    "NaN": "a result of the right shape full of NaN",
    "empty": "an empty result",
}
_ERRORS = {"1 % off": "a result that is 1 % off", "float32": "a result rounded to float32"}


def check_wrong_results(
    name: CheckName, accepted: Mapping[str, Sequence[str]], changed: Mapping[str, Sequence[str]]
) -> SuiteCheck:
    """Find the tests that accept wrong results.

    Args:
        name: "accepts sevens" or "tolerance".
        accepted: For each kind of wrong result, the tests that pass although a result was changed.
        changed: For each kind, all tests in which a result was changed.
    """
    says = _RESULTS if name == "accepts sevens" else _ERRORS
    holes: list[str] = []
    notes: list[str] = []
    tests: dict[str, None] = {}
    for kind, phrase in says.items():
        passed, candidates = accepted.get(kind, ()), changed.get(kind, ())
        if not passed:
            continue
        tests.update(dict.fromkeys(passed))
        if kind == "float32" and holes:
            # The hole for 1 % already implies this one.
            continue
        if len(passed) == len(candidates) and kind != "float32":
            holes.append(f"{_all_tests(len(candidates))} {_verb('accept', candidates)} {phrase}")
        else:
            notes.append(f"{_share(passed, candidates)} {_verb('accept', passed)} {phrase}")
    if not holes and not notes:
        right = "No test accepts " + ", or ".join(says.values())
        return SuiteCheck(name, "ok", f"{right}.")
    verdict: CheckVerdict = "hole" if holes else "note"
    return SuiteCheck(name, verdict, _capitalize(f"{'; '.join(holes + notes)}."), tuple(tests))


def check_redundancy(kills: Mapping[str, frozenset[str]]) -> SuiteCheck:
    """Find the tests whose kills are all made by one other test.

    Args:
        kills: The programs that each test kills.
    """
    name: Final = "redundant"
    redundant = []
    for test, killed in kills.items():
        if any(
            # Of two tests with equal kills, the later one is redundant.
            killed < more or (killed == more and [*kills].index(other) < [*kills].index(test))
            for other, more in kills.items()
        ):
            redundant.append(test)
    if not redundant:
        return SuiteCheck(name, "ok", "No test kills only what one other test kills too.")
    share = f"{_share(redundant, [*kills])} {_verb('kill', redundant)}"
    sentence = f"{share} nothing that another test does not kill too."
    return SuiteCheck(name, "note", sentence, tuple(redundant))


def check_seeds(tests: Sequence[str]) -> SuiteCheck:
    """Find the tests whose inputs change from run to run."""
    if not tests:
        return SuiteCheck("unseeded", "ok", "The tests make the same calls in every run.")
    names = f"{_list_names(tests)} {_verb('make', tests)}"
    sentence = f"{names} other calls in every run: a generator has no seed."
    return SuiteCheck("unseeded", "note", sentence, tuple(tests))


_USUAL_FACTS = {
    "have the dtype float64": re.compile(r"dtype|astype|_like\b|//"),
    "have no two equal numbers": re.compile(
        r"sort|uniq|rank|median|mode|max|min|count|set\(|[<>]|[!=]="
    ),
}
"""Facts that hold in most assignments; reported only if the solution matches the pattern."""


def check_inputs(facts: Sequence[str], solution: str) -> SuiteCheck:
    """Report facts that hold for every array, since a program may be right only for such arrays."""
    facts = [
        fact for fact in facts if fact not in _USUAL_FACTS or _USUAL_FACTS[fact].search(solution)
    ]
    if not facts:
        return SuiteCheck("inputs", "ok", "The arrays in the tests are of several kinds.")
    return SuiteCheck("inputs", "note", f"All arrays in the tests {'; they '.join(facts)}.")


def check_time(tests: Sequence[PytestResult]) -> SuiteCheck:
    """Report how long the tests take."""
    slow = [test for test in tests if test.seconds > _SLOW_SECONDS]
    total, slowest = sum(test.seconds for test in tests), max(tests, key=lambda test: test.seconds)
    sentence = (
        f"The tests take {total:.2g} s; the slowest is {short_id(slowest.id)} with "
        f"{slowest.seconds:.2g} s."
    )
    return SuiteCheck("time", "note" if slow else "ok", sentence, _ids(slow))


def untried_exercise(exercise: str) -> SuiteCheck:
    """Report that none of an exercise's mistakes could be tried, although the author named it."""
    sentence = (
        f"No known mistake of {exercise} was tried: the tests reject its own solution, so no "
        "function of the assignment does the same."
    )
    return SuiteCheck("like", "note", sentence, ())


def short_id(test: str) -> str:
    """Return a test's id without its file."""
    return test.partition("::")[2] or test


def _capitalize(sentence: str) -> str:
    """Return a sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def _ids(tests: Iterable[PytestResult]) -> tuple[str, ...]:
    return tuple(test.id for test in tests)


def _all_tests(number: int) -> str:
    return {1: "the only test", 2: "both tests"}.get(number, f"all {number} tests")


def _share(some: Sequence[object], every: Sequence[object]) -> str:
    return f"{len(some)} of {plural(len(every), 'test')}"


def _verb(word: str, tests: Sequence[object]) -> str:
    """Return a verb for its subject, which is one test or several."""
    return word + "s" * (len(tests) == 1)


def _list_names(tests: Sequence[str]) -> str:
    names = [short_id(test) for test in tests[:_MAX_NAMES]]
    if len(tests) > _MAX_NAMES:
        names.append(f"{len(tests) - _MAX_NAMES} more")
    return join_words(names, "and")
