"""The search for the smallest call that distinguishes a program from the solution."""

import pickle
import time
import types
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from grader.audit.confined import perturb
from grader.audit.confined.behaviour import (
    Behaviour,
    BehaviourDifference,
    CallTooLongError,
    find_difference,
    observe,
    read_options,
)
from grader.audit.confined.perturb import Options, Script, Step, Steps

Form: TypeAlias = tuple[str, tuple[int, ...]]

_MAX_SEEDS = 8  # recorded scripts to vary, per function
_MAX_OPTION_CALLS = 12  # calls with new options, per function
_MAX_CANDIDATES = 220  # candidates per function
# Calls tried, as a multiple of the candidates per function.
_TRIES_PER_CANDIDATE = 6
_MAX_CALL_BYTES = 200_000  # largest arguments of one candidate, in bytes
# Every third call changes sizes, and every eleventh adds an axis.
_SIZES_EVERY, _BATCH_EVERY = 3, 11
_MAX_SHRINKS = 400  # calls tried while shrinking


def _observe_or_none(module: types.ModuleType, candidate: Script) -> Behaviour | None:
    try:
        return observe(module, *candidate)
    except CallTooLongError:
        return None


def make_candidates(
    right: types.ModuleType, scripts: Iterable[Script], texts: tuple[str, ...], seconds: float
) -> list[Script]:
    """Return calls on which the solution behaves well: the recorded ones first, then variations."""
    by_name: dict[str, list[Steps]] = {}
    for name, steps in scripts:
        by_name.setdefault(name, []).append(steps)
    candidates: list[Script] = []
    for name, scripts_of_name in by_name.items():
        scripts_of_name.sort(key=perturb.size)
        until = time.process_time() + seconds / len(by_name)
        collector = _CandidateCollector(right, name, read_options(right, name, texts))
        collector.fill(scripts_of_name, until)
        candidates += collector.candidates
    return candidates


@dataclass(slots=True)
class _CandidateCollector:
    """The candidate calls of one function or class."""

    right: types.ModuleType
    name: str
    options: Options
    candidates: list[Script] = field(default_factory=list)

    def fill(self, recorded: list[Steps], until: float) -> None:
        self.candidates += [(self.name, steps) for steps in recorded[:_MAX_CANDIDATES]]
        seeds: list[Steps] = []
        for steps in [*recorded[: _MAX_SEEDS // 2], *recorded[-_MAX_SEEDS // 2 :]]:
            behaviour = _observe_or_none(self.right, (self.name, steps))
            if behaviour is not None and not behaviour.raises:
                seeds.append(steps)
                seeds += self._with_options(steps, behaviour, until)
        rng = np.random.default_rng(0)
        keys: set[bytes] = set()
        for number in range(_MAX_CANDIDATES * _TRIES_PER_CANDIDATE if seeds else 0):
            if (
                len(self.candidates) >= _MAX_CANDIDATES + len(recorded)
                or time.process_time() > until
            ):
                return
            steps = seeds[number % len(seeds)]
            if number % _SIZES_EVERY == 0:
                steps = perturb.with_other_sizes(rng, steps)
            if number % _BATCH_EVERY == 0:
                steps = perturb.with_batch_axis(steps)
            kind = int(rng.integers(60))
            steps = perturb.with_other_numbers(rng, steps, kind, self.options.texts)
            key = pickle.dumps(steps)
            if key in keys or len(key) > _MAX_CALL_BYTES:
                continue
            keys.add(key)
            behaviour = _observe_or_none(self.right, (self.name, steps))
            if behaviour is not None and not behaviour.raises and behaviour.finite:
                self.candidates.append((self.name, steps))

    def _with_options(self, steps: Steps, usual: Behaviour, until: float) -> list[Steps]:
        """Return calls with other options that the solution accepts and that change its result."""
        calls: list[Steps] = []
        results = [step.value for step in usual.steps]
        for variation in perturb.with_other_options(steps, self.options, results):
            if len(calls) >= _MAX_OPTION_CALLS or time.process_time() > until:
                break
            behaviour = _observe_or_none(self.right, (self.name, variation))
            if behaviour is None or behaviour.raises or not behaviour.finite:
                continue
            if find_difference(usual, behaviour) is not None:
                calls.append(variation)
                self.candidates.append((self.name, variation))
        return calls


@dataclass(frozen=True, slots=True)
class CallSearch:
    """The search for a call that distinguishes a wrong program from the solution."""

    right: types.ModuleType
    wrong: types.ModuleType
    # Another right program, or None; calls on which it differs from the solution are skipped.
    right_adaptation: types.ModuleType | None
    # CPU seconds for the search, and as many again for shrinking.
    seconds: float
    # Attributes that tests read; a difference in any other attribute is used last.
    read: Collection[str] = ()

    def find_first_difference(
        self, candidates: Sequence[Script]
    ) -> tuple[Script, BehaviourDifference] | None:
        """Return the first candidate that distinguishes the programs, shrunk, or None."""
        forms = {(name, _form(step)) for name, steps in candidates for step in steps}
        until = time.process_time() + self.seconds
        unread: tuple[Script, BehaviourDifference] | None = None
        for candidate in sorted(candidates, key=lambda script: not self._is_changed(script[0])):
            if time.process_time() > until:
                break
            expected = _observe_or_none(self.right, candidate)
            first = None if expected is None else self._find_difference(candidate, expected)
            if first is not None and not self.is_unread(candidate[0], first):
                return self._shrink(candidate, first, forms)
            if first is not None:
                unread = unread or (candidate, first)
        return unread

    def is_unread(self, name: str, result: BehaviourDifference) -> bool:
        """Return whether the difference is only in an attribute that no test reads."""
        # A test may compare objects of a class with its own `__eq__`.
        compares = getattr(self.right, name).__eq__ is not object.__eq__
        return result.kind == "attribute" and result.name not in self.read and not compares

    def _is_changed(self, name: str) -> bool:
        """Return whether the function's own code differs, so that its calls are tried first."""
        right, wrong = getattr(self.right, name, None), getattr(self.wrong, name, None)
        return getattr(right, "__code__", right) != getattr(wrong, "__code__", wrong)

    def _find_difference(
        self, candidate: Script, expected: Behaviour
    ) -> BehaviourDifference | None:
        got = _observe_or_none(self.wrong, candidate)
        diff = None if got is None else find_difference(expected, got, self.read)
        if diff is not None and self.right_adaptation is not None:
            adapted = _observe_or_none(self.right_adaptation, candidate)
            if adapted is None or find_difference(expected, adapted) is not None:
                return None
        return diff

    def _shrink(
        self, candidate: Script, diff: BehaviourDifference, forms: Collection[tuple[str, Form]]
    ) -> tuple[Script, BehaviourDifference]:
        name, steps = candidate
        options = read_options(self.right, name, ())
        first = _observe_or_none(self.right, candidate)
        until = time.process_time() + self.seconds
        tries = 0
        is_smaller = True
        while is_smaller:
            is_smaller = False
            measure, tried_keys = perturb.size(steps), set[bytes]()
            for smaller in perturb.simpler(steps, options):
                if perturb.size(smaller) >= measure or (key := pickle.dumps(smaller)) in tried_keys:
                    continue
                tried_keys.add(key)
                # Remove axes only if tests make such calls: a reader expects the intended use.
                if not all((name, _form(step)) in forms for step in smaller):
                    continue
                tries += 1
                if tries > _MAX_SHRINKS or time.process_time() > until:
                    return (name, steps), diff
                expected = _observe_or_none(self.right, (name, smaller))
                if expected is None or first is None:
                    continue
                if (expected.raises and not first.raises) or (first.finite and not expected.finite):
                    continue
                new_diff = self._find_difference((name, smaller), expected)
                if (
                    new_diff is not None
                    and new_diff.kind == diff.kind
                    and not self.is_unread(name, new_diff)
                ):
                    steps, diff, is_smaller = smaller, new_diff, True
                    break
        return (name, steps), diff


def _form(step: Step) -> Form:
    """Return the parts that shrinking preserves: the method, and the axes of each array."""
    return step[0], tuple(array.ndim for array in perturb.arrays((step,)))
