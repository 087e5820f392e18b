"""Every attack is graded for real in every sandbox; it earns, learns, tells and breaks nothing."""

import copy
import io
import json
import os
import re
import signal
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from rich.console import Console

from grader.definitions.exercise import Exercise
from grader.errors import GraderFault
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.results.verdict_json import verdict_data
from grader.grading.submissions.submission import Submission
from grader.reports.to_text import print_verdict
from grader.sandbox.limits import DEFAULT_LIMITS, Limits
from tests.grading.conftest import grade
from tests.hostile.conftest import Sandboxes, Target

ATTACKS = Path(__file__).parent / "attacks"
BACKENDS = ("namespaces", "landlock")
# An endless program is judged fast; on a busy machine all others need their time.
LIMITS = {
    "": replace(DEFAULT_LIMITS, wall_seconds=60.0),
    "quick": Limits(cpu_seconds=1, wall_seconds=2.0),
}

# A verdict costs the grader itself milliseconds; an attack that makes it compute for seconds won.
TRUSTED_CPU_SECONDS = 5.0

MAX_MESSAGE_LENGTH = 4_000  # characters; a longer message is meant to fill a terminal

_FIELD = re.compile(r"# (tries|outcome|shows|limits|needs)(?: on (\w+))?: (.+)")
_INCLUDE = re.compile(r"^# @(TELL|FRAMES|ATTEMPTS)@$", re.MULTILINE)
_TIMES = re.compile(r"@TIMES (\d+) (\S+?)@")
_WORD = re.compile(r"@([A-Z_]+)@")
# What an attack on this host names (targets are in capitals; forged answers, which the trusted side
# reads alike from either sandbox, are none), or one that ends another way in one sandbox.
_KERNEL = re.compile(r"\b(ctypes|socket)\b|@(?!FRAMES|TELL|ATTEMPTS)[A-Z_]+@|# \w+ on \w+:")
# What is graded until a limit ends it; one of each kind is enough while editing.
_ENDLESS = re.compile(r"^# (outcome.*(timed out|out of memory)|limits: quick)", re.MULTILINE)
_QUICKEST_ENDLESS = ("loop", "memory_text")


@dataclass(frozen=True)
class Attack:
    """A file of `attacks/`: what it tries and what is right are in its first comments."""

    name: str
    text: str

    def field(self, key: str, backend: str) -> str:
        """Return a field of the header, as it is for a backend."""
        found = {(m[1], m[2]): m[3] for m in _FIELD.finditer(self.text)}
        return found.get((key, backend), found.get((key, None), ""))

    def outcomes(self, backend: str) -> set[Outcome]:
        """Return the outcomes that are right."""
        return {Outcome(word.strip()) for word in self.field("outcome", backend).split(",")}

    def source(self, words: Mapping[str, str]) -> bytes:
        """Fill in the targets."""
        text = _INCLUDE.sub(lambda m: (ATTACKS / f"_{m[1].lower()}.py").read_text(), self.text)
        text = _TIMES.sub(lambda m: m[2] * int(m[1]), text)
        return _WORD.sub(lambda m: words[m[1]], text).encode()


def _marks(attack: Attack, backend: int) -> Sequence[pytest.MarkDecorator]:
    if backend > 0 and not _KERNEL.search(attack.text):
        return (pytest.mark.slow, pytest.mark.release)
    endless = _ENDLESS.search(attack.text)
    return (
        (pytest.mark.slow,) if endless and (backend or attack.name not in _QUICKEST_ENDLESS) else ()
    )


def _each_in_each_backend() -> list[Any]:
    """Return attacks and backends; those that a limit ends are slow, but for two.

    Those that name nothing of this host meet the second backend before a release only.
    """
    paths = sorted(path for path in ATTACKS.glob("*.py") if not path.name.startswith("_"))
    attacks = [Attack(path.stem, path.read_text()) for path in paths]
    return [
        pytest.param(
            attack,
            backend,
            id=f"{backend}-{attack.name}",
            marks=_marks(attack, number),
        )
        for number, backend in enumerate(BACKENDS)
        for attack in attacks
    ]


@pytest.mark.parametrize(("attack", "backend"), _each_in_each_backend())
def test_an_attack_wins_nothing(
    attack: Attack, backend: str, sandboxes: Sandboxes, target: Target, guarded: Exercise
) -> None:
    """No point, no canary, no trace, the outcome that its header names, and the next is served."""
    needs = attack.field("needs", backend)
    if needs and needs != os.uname().machine:
        pytest.skip(f"this attack is made for {needs}")
    sandbox = sandboxes.get(backend)
    family = sandboxes.family(backend)
    words = target.words | {"ZYGOTE_PID": str(max(family))}
    source = attack.source(words)
    submission = Submission.from_bytes(Path("guarded.py"), source)
    descriptors = _open_descriptors()

    with _limited_cpu(), target.untouched():
        verdict = grade(guarded, submission, sandbox, LIMITS[attack.field("limits", backend)])

    assert (verdict.score, verdict.xp) == (0, 0)
    assert verdict.outcome in attack.outcomes(backend), verdict
    shown = json.dumps(verdict_data(verdict), ensure_ascii=False)
    assert re.search(attack.field("shows", backend), shown), shown
    _assert_clean(verdict)
    _assert_lines_exist(verdict, len(source.splitlines()) + 1)
    _assert_nothing_leaked(verdict, guarded)
    assert {*_open_descriptors()} <= {*descriptors}  # what other tests left may be closed meanwhile
    _wait_until(lambda: sandboxes.descendants(backend) == family, "a process is left over")
    _wait_until(lambda: not _marked(target.mark), "a process with the attack's mark is left over")
    _assert_serves_the_next(guarded, sandboxes, backend)


@contextmanager
def _limited_cpu() -> Iterator[None]:
    """Stop the grader itself when an attack has it compute without end."""

    def stop(*_: object) -> NoReturn:
        pytest.fail(f"the grader itself computed for {TRUSTED_CPU_SECONDS:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, TRUSTED_CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _open_descriptors() -> list[str]:
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


def _assert_clean(verdict: Verdict) -> None:
    """Nothing in a verdict can steer a terminal, break an encoder, or pass for a result."""
    assert max(len(test.message) for test in verdict.tests) < MAX_MESSAGE_LENGTH
    strings = list(_strings(verdict_data(verdict)))
    assert [text for text in strings if _controls(text, "\n\t")] == []
    text = _rendered(verdict)
    assert _controls(text, "\n") == set()
    text.encode()
    assert [line for line in text.splitlines() if line.startswith(("Passed", "\u2713"))] == []


def _assert_lines_exist(verdict: Verdict, last: int) -> None:
    """A line number is one of the submission's, or the one after its last."""
    lines = {verdict.line, *(test.line for test in verdict.tests)} - {None}
    said = re.findall(r"\(line (-?\d+)", json.dumps(verdict_data(verdict)))
    assert [line for line in (*lines, *map(int, said)) if not 0 < int(line or 0) <= last] == []


def _strings(tree: object) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from _strings(item)
    elif isinstance(tree, list):
        for item in tree:
            yield from _strings(item)


def _controls(text: str, allowed: str) -> set[str]:
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return {c for c in text if c not in allowed and unicodedata.category(c) in kinds}


def _rendered(verdict: Verdict) -> str:
    file = io.StringIO()
    print_verdict(Console(file=file, width=80, color_system=None), verdict)
    return file.getvalue()


def _assert_nothing_leaked(verdict: Verdict, exercise: Exercise) -> None:
    """No canary is anywhere in a verdict but for the names of the hidden tests in their places."""
    data: dict[str, Any] = copy.deepcopy(verdict_data(verdict))
    text = _rendered(verdict)
    for test in data["tests"]:
        if test["hidden"]:
            assert (test["output"], test["line"]) == ("", None)
            text = text.replace(f"{test['id']} (hidden)", "")
            del test["id"]
    whole = json.dumps(data) + json.dumps(data, ensure_ascii=False) + text
    assert [canary for canary in _canaries(exercise) if canary in whole] == []


def _canaries(exercise: Exercise) -> list[str]:
    """Every word and number of the file that must not get out, in every way it could be printed."""
    text = exercise.where.path.read_text()
    words = re.findall(r"CANARY-[A-Z]+-[A-Z-]+|canary-[a-z-]+", text)
    found = {*words, "CANARY-PEER-FILE", "CANARY-TOKEN-IN-THE-ENVIRONMENT"}
    for digits in re.findall(r"\d{8,}", text):
        found |= {digits, f"{digits[0]}.{digits[1:]}", *(f"{float(digits):.{n}g}" for n in (4, 6))}
    return sorted(found)


def _wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    """A process that was ended takes a moment to go; one that escaped stays for a minute."""
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(otherwise)
        time.sleep(0.005)


def _marked(mark: str) -> list[str]:
    """Find processes that carry the mark of an attack in their name or command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            said = (folder / "comm").read_bytes() + (folder / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if mark.encode() in said:
            found.append(said.decode(errors="replace"))
    return found


def _assert_serves_the_next(exercise: Exercise, sandboxes: Sandboxes, backend: str) -> None:
    solution = Submission.from_bytes(Path("guarded.py"), exercise.solution.encode())
    try:
        verdict = grade(exercise, solution, sandboxes.get(backend), LIMITS[""])
    except GraderFault:
        sandboxes.renew(backend)
        raise
    assert (verdict.outcome, verdict.score) == (Outcome.PASSED, exercise.max_points), verdict


def test_a_verdict_does_not_describe_hidden_tests(sandboxes: Sandboxes, guarded: Exercise) -> None:
    """What a hidden test looks for is in no field of a verdict, passed or not."""
    for source in (guarded.solution, guarded.starter):
        verdict = grade(guarded, source, sandboxes.get(BACKENDS[0]))
        data = json.dumps(verdict_data(verdict)) + _rendered(verdict)
        assert re.findall("CANARY-[A-Z-]+", data) == []
