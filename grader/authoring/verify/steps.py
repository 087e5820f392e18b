"""One exercise's way through the proof: what to run next, given what came out so far."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.authoring.verify import variants
from grader.authoring.verify.conditions import ConditionalMistake, conditional_mistakes
from grader.authoring.verify.sabotage import WrongProgram, wrong_programs
from grader.authoring.verify.variants import REPEATS, VariantRun
from grader.definitions.exercise import Exercise, TestId
from grader.grading.results.verdict import Evidence, Outcome, Verdict
from grader.mutation import Mutant, mutants

Results: TypeAlias = Mapping[str, Verdict]

_BROKEN = "misconception broken {}"
_DID_NOT_DECIDE = (Outcome.PASSED, Outcome.NOT_RUN)


@dataclass(slots=True)
class ProofFacts:
    """All that was found out about an exercise."""

    exercise: Exercise
    solution: Verdict
    opened: Verdict | None  # the solution again, each test free to say why it fails
    starter: Verdict
    also_right: list[Verdict]  # each test free to say why it fails
    bare: Evidence | None
    beside: WrongProgram  # what was graded before the solution, and both again
    borrows: bool = False  # the solution needs the starter in front
    sound: frozenset[TestId] = frozenset()  # tests that the right program passes
    misconceptions: dict[str, Verdict] = field(default_factory=dict)
    misconceptions_again: dict[str, Verdict] = field(default_factory=dict)  # with other seeds
    unbudgeted: dict[str, Verdict] = field(default_factory=dict)  # with no budget
    unforbidden: dict[str, Verdict] = field(default_factory=dict)  # with nothing forbidden
    broken: dict[str, Verdict] = field(default_factory=dict)  # those that raise in every test
    wrong: list[tuple[WrongProgram, Verdict]] = field(default_factory=list)
    mutants: list[tuple[Mutant, Verdict]] | None = None  # None: not tried
    conditional: list[tuple[ConditionalMistake, Verdict]] = field(default_factory=list)
    thorough: list[Verdict] = field(default_factory=list)  # mutants on tests nothing failed yet
    again: dict[str, Verdict] = field(default_factory=dict)

    @property
    def hidden(self) -> frozenset[TestId]:
        """The hidden tests that the right program passes."""
        return frozenset(t.id for t in self.exercise.tests if t.hidden) & self.sound

    @property
    def proving(self) -> bool:
        """Return whether there are hidden tests that the solution passes."""
        hidden = [test.id for test in self.exercise.tests if test.hidden]
        return bool(hidden) and self.hidden == frozenset(hidden)


def passed(verdict: Verdict) -> frozenset[TestId]:
    """Return the tests that a program passes."""
    return frozenset(test.id for test in verdict.tests if test.outcome is Outcome.PASSED)


def failed(verdict: Verdict) -> frozenset[TestId]:
    """Return the tests that a program ran and did not pass."""
    return frozenset(test.id for test in verdict.tests if test.outcome not in _DID_NOT_DECIDE)


def run_steps(exercise: Exercise) -> Generator[Sequence[VariantRun], Results, ProofFacts]:
    """Yield rounds of runs, take their verdicts, and return what is known in the end."""
    facts, right = yield from _solution(exercise)
    generated = wrong_programs(exercise, right)
    # Helpers of the starter too: a learner may rewrite them, and wrongly.
    candidates = mutants(right, tuple(exercise.defines)) if facts.proving else None
    conditional = tuple(conditional_mistakes(exercise, right)) if facts.proving else ()
    results = yield [
        *_misconception_runs(facts),
        *_wrong_runs(exercise, generated),
        *_mutant_runs(facts, candidates or ()),
        *_conditional_runs(facts, conditional),
        *_repetitions(facts, right),
    ]
    ids = [each.id for each in facts.exercise.misconceptions]
    facts.misconceptions = {each: results[f"misconception {each}"] for each in ids}
    if facts.proving:
        facts.misconceptions_again = {each: results[f"misconception again {each}"] for each in ids}
    if facts.exercise.forbid is not None:
        facts.unforbidden = {each: results[f"misconception unforbidden {each}"] for each in ids}
    if variants.unbudgeted(exercise) is not None:
        facts.unbudgeted = {each: results[f"misconception unbudgeted {each}"] for each in ids}
    facts.wrong = [(each, results[f"wrong {each.id}"]) for each in generated]
    if candidates is not None:
        facts.mutants = [(each, results[f"mutant {each.change}"]) for each in candidates]
    facts.conditional = [(each, results[f"condition {each.id}"]) for each in conditional]
    if facts.sound:
        facts.again = {how: results[f"again {how}"] for how in REPEATS}
    thorough, broken = list(_thorough_runs(facts)), list(_broken_runs(facts))
    results = yield [*thorough, *broken]
    facts.thorough = [results[each.name] for each in thorough]
    ids = [each.id for each in exercise.misconceptions]
    facts.broken = {i: results[name] for i in ids if (name := _BROKEN.format(i)) in results}
    return facts


def _solution(
    exercise: Exercise,
) -> Generator[Sequence[VariantRun], Results, tuple[ProofFacts, str]]:
    """Run solution and starter; if the solution fails, find out more about why."""
    right = exercise.solution
    beside = wrong_programs(exercise, right)[0]
    results = yield [  # the solution first: no worker has met the exercise before
        variants.run_for_evidence("solution", exercise, right, beside.source),
        variants.run("starter", exercise, exercise.starter),
        *_also_right_runs(exercise),
        variants.run_bare(exercise),
    ]
    solution = results["solution"]
    facts = ProofFacts(
        exercise=exercise,
        solution=solution,
        opened=None,
        starter=results["starter"],
        also_right=[results[run.name] for run in _also_right_runs(exercise)],
        bare=results["bare"].evidence,
        beside=beside,
    )
    facts.sound = passed(solution)
    if solution.outcome is not Outcome.PASSED:
        # The comments that name files join the parts of each file.
        both = f"{exercise.starter.rstrip()}\n\n\n{right}"
        results = yield [
            variants.run("opened", variants.opened(exercise), right, exercise),
            variants.run("both", exercise, both),
        ]
        facts.opened = results["opened"]
        if passed(results["both"]) > facts.sound:
            facts.borrows, facts.sound, right = True, passed(results["both"]), both
    return facts, right


def _also_right_runs(exercise: Exercise) -> Iterator[VariantRun]:
    opened = variants.opened(exercise)
    for number, each in enumerate(exercise.also_right):
        yield variants.run(f"also right {number}", opened, each.code, exercise)


def _misconception_runs(facts: ProofFacts) -> Iterator[VariantRun]:
    exercise = facts.exercise
    unbudgeted = variants.unbudgeted(exercise)
    for each in exercise.misconceptions:
        if unbudgeted is not None:
            yield variants.run(f"misconception unbudgeted {each.id}", unbudgeted, each.code)
        yield variants.run_as_submission(f"misconception {each.id}", exercise, each.code)
        if exercise.forbid is not None:
            free = variants.unforbidding(exercise)
            yield variants.run(f"misconception unforbidden {each.id}", free, each.code, exercise)
    if facts.proving:
        again = variants.repeated(exercise, "with other seeds")
        hidden, used = variants.hidden_only(again), facts.solution.evidence
        for each in exercise.misconceptions:
            name = f"misconception again {each.id}"
            yield variants.run_mutant(name, hidden, each.code, used, again)


def _wrong_runs(exercise: Exercise, generated: Sequence[WrongProgram]) -> Iterator[VariantRun]:
    unforbidding = variants.unforbidding(exercise)
    for each in generated:
        yield variants.run(f"wrong {each.id}", unforbidding, each.source, exercise)


def _mutant_runs(facts: ProofFacts, candidates: Sequence[Mutant]) -> Iterator[VariantRun]:
    exercise, used = facts.exercise, facts.solution.evidence
    hidden = variants.hidden_only(exercise)
    for each in candidates:
        yield variants.run_mutant(f"mutant {each.change}", hidden, each.source, used, exercise)


def _conditional_runs(
    facts: ProofFacts, programs: Sequence[ConditionalMistake]
) -> Iterator[VariantRun]:
    exercise, used = facts.exercise, facts.solution.evidence
    hidden = variants.unforbidding(variants.hidden_only(exercise))
    for each in programs:
        yield variants.run_mutant(f"condition {each.id}", hidden, each.source, used, exercise)


def _repetitions(facts: ProofFacts, right: str) -> Iterator[VariantRun]:
    if facts.sound:
        for how in REPEATS:
            yield variants.run_for_evidence(
                f"again {how}", variants.repeated(facts.exercise, how), right
            )


def never_failed(facts: ProofFacts) -> frozenset[TestId]:
    """Return the sound tests that no wrong program has failed.

    Among generated programs one that raises says nothing: a test that is content with whatever
    comes back fails it too.
    """
    generated = [verdict for _, verdict in (*facts.wrong, *(facts.mutants or ()))]
    answered = [_answered_wrong(verdict) for verdict in (*generated, *facts.thorough)]
    return facts.sound.difference(*answered, *map(failed, facts.misconceptions.values()))


def _answered_wrong(verdict: Verdict) -> frozenset[TestId]:
    errored = (test.id for test in verdict.tests if test.outcome is Outcome.ERRORED)
    return failed(verdict).difference(errored)


def _thorough_runs(facts: ProofFacts) -> Iterator[VariantRun]:
    """Run mutants through the tests that nothing failed yet, all of these tests."""
    left = never_failed(facts)
    if left and facts.mutants:
        few = variants.only_tests(facts.exercise, left)
        for mutant, _ in facts.mutants:
            yield variants.run(f"thorough {mutant.change}", few, mutant.source, facts.exercise)


def _broken_runs(facts: ProofFacts) -> Iterator[VariantRun]:
    """Run misconceptions again that raise in every test, each test free to say what they raise."""
    opened = variants.opened(facts.exercise)
    for each in facts.exercise.misconceptions:
        tests = facts.misconceptions[each.id].tests
        if tests and all(test.outcome is Outcome.ERRORED for test in tests):
            yield variants.run(_BROKEN.format(each.id), opened, each.code, facts.exercise)
