"""The steps of one proof: what to run next, by the results so far."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from grader.authoring.verify import variants
from grader.authoring.verify.suite_steps import (
    STRICT,
    WITHOUT,
    WRONG,
    alone_runs,
    suite_runs,
    wrong_suites,
)
from grader.authoring.verify.variants import REPEATS, VariantRun
from grader.authoring.verify.wrong_programs import (
    WrongProgram,
    conditional_mistakes,
    wrong_programs,
)
from grader.definitions.exercise import Exercise, TestId
from grader.grading.results.verdict import Evidence, Outcome, Verdict
from grader.mutation import Mutant, mutants

Results: TypeAlias = Mapping[str, Verdict]

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
    wrong_program: WrongProgram  # graded before the solution, and both again
    borrows: bool = False  # the solution needs the starter in front
    sound: frozenset[TestId] = frozenset()  # tests that the right program passes
    misconceptions: dict[str, Verdict] = field(default_factory=dict)
    misconceptions_again: dict[str, Verdict] = field(default_factory=dict)  # with other seeds
    unbudgeted: dict[str, Verdict] = field(default_factory=dict)  # with no budget
    unforbidden: dict[str, Verdict] = field(default_factory=dict)  # with nothing forbidden
    broken: dict[str, Verdict] = field(default_factory=dict)  # those that raise in every test
    wrong: list[tuple[WrongProgram, Verdict]] = field(default_factory=list)
    mutants: list[tuple[Mutant, Verdict]] | None = None  # None: not tried
    conditional: list[tuple[WrongProgram, Verdict]] = field(default_factory=list)
    thorough: list[Verdict] = field(default_factory=list)  # mutants on tests nothing failed yet
    again: dict[str, Verdict] = field(default_factory=dict)
    suites: dict[str, Verdict] = field(default_factory=dict)  # see `suite_steps`

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
    if exercise.kind == "test":
        return (yield from _suite_steps(exercise))
    facts, right = yield from _right_programs(exercise)
    if facts.solution.timed_out:  # most of the other runs would take as long
        facts.sound = frozenset()
        return facts
    yield from _wrong_programs(facts, right)
    # A mutant may fail a test that nothing failed yet, if it runs through all of these.
    runs = []
    left = never_failed(facts)
    if left:
        rest = tuple(test for test in exercise.tests if test.id in left)
        few = variants.variant(exercise, f"only {' '.join(each.id for each in rest)}", tests=rest)
        for mutant, _ in facts.mutants or ():
            runs.append(variants.run(f"thorough {mutant.change}", few, mutant.source, exercise))
    thorough = [run.name for run in runs]
    # A misconception that raises in every test runs again, each test free to say what it raises.
    opened = variants.opened(exercise)
    for each in exercise.misconceptions:
        tests = facts.misconceptions[each.id].tests
        if tests and all(test.outcome is Outcome.ERRORED for test in tests):
            name = f"misconception broken {each.id}"
            runs.append(variants.run(name, opened, each.code, exercise))
    results = yield runs
    facts.thorough = [results[name] for name in thorough]
    facts.broken = _by_id(results, "misconception broken", exercise)
    return facts


def _suite_steps(exercise: Exercise) -> Generator[Sequence[VariantRun], Results, ProofFacts]:
    """Run the solution of a `test` exercise, parts of it, and suites that may not pass."""
    results = yield list(suite_runs(exercise))
    solution = results["solution"]
    # A solution that rejects all of the wrong programs rejects each.
    accepts_any = results[STRICT].outcome is not Outcome.PASSED
    alone = yield list(alone_runs(exercise, every=accepts_any))
    wrong = wrong_suites(exercise)
    return ProofFacts(
        exercise=exercise,
        solution=solution,
        opened=None,
        starter=results["starter"],
        also_right=[],
        bare=None,
        wrong_program=wrong[0],
        sound=passed(solution),
        wrong=[(each, results[f"{WRONG}{each.id}"]) for each in wrong],
        again={how: results[f"again {how}"] for how in REPEATS},
        suites={**alone, **{n: v for n, v in results.items() if n.startswith(WITHOUT)}},
    )


def _right_programs(
    exercise: Exercise,
) -> Generator[Sequence[VariantRun], Results, tuple[ProofFacts, str]]:
    """Run solution and starter; if the solution fails, find out more about why."""
    right = exercise.solution
    wrong_program = wrong_programs(exercise, right)[0]
    bare = variants.variant(exercise, "bare", tests=(), defines={}, forbid=None, kind="write")
    opened = variants.opened(exercise)
    also_right = [
        variants.run(f"also right {number}", opened, each.code, exercise)
        for number, each in enumerate(exercise.also_right)
    ]
    results = yield [  # the solution first: no worker has met the exercise before
        variants.run_for_evidence("solution", exercise, right, wrong_program.source),
        variants.run("starter", exercise, exercise.starter),
        *also_right,
        variants.run_for_evidence("bare", bare, "pass\n"),  # the costs of a worker alone
    ]
    solution = results["solution"]
    facts = ProofFacts(
        exercise=exercise,
        solution=solution,
        opened=None,
        starter=results["starter"],
        also_right=[results[run.name] for run in also_right],
        bare=results["bare"].evidence,
        wrong_program=wrong_program,
    )
    facts.sound = passed(solution)
    if solution.outcome is not Outcome.PASSED and not solution.timed_out:
        # The comments that name files join the parts of each file.
        both = f"{exercise.starter.rstrip()}\n\n\n{right}"
        results = yield [
            variants.run("opened", opened, right, exercise),
            variants.run("both", exercise, both),
        ]
        facts.opened = results["opened"]
        if passed(results["both"]) > facts.sound:
            facts.borrows, facts.sound, right = True, passed(results["both"]), both
    return facts, right


def _wrong_programs(
    facts: ProofFacts, right: str
) -> Generator[Sequence[VariantRun], Results, None]:
    """Run everything that is wrong, and the right program again."""
    exercise, used = facts.exercise, facts.solution.evidence
    generated = wrong_programs(exercise, right)
    # Helpers of the starter too: a learner may rewrite them, and wrongly.
    candidates = mutants(right, tuple(exercise.defines)) if facts.proving else ()
    conditional = tuple(conditional_mistakes(exercise, right)) if facts.proving else ()
    unbudgeted, free = variants.unbudgeted(exercise), variants.unforbidding(exercise)
    reseeded = variants.repeated(exercise, "with other seeds")
    hidden, hidden_again = variants.hidden_only(exercise), variants.hidden_only(reseeded)
    hidden_free = variants.unforbidding(hidden)
    runs: list[VariantRun] = []
    for each in exercise.misconceptions:
        if unbudgeted is not None:
            name = f"misconception unbudgeted {each.id}"
            runs.append(variants.run(name, unbudgeted, each.code))
        name = f"misconception {each.id}"
        runs.append(variants.run(name, exercise, each.code, diagnosed=True))
        if exercise.forbid is not None:
            name = f"misconception unforbidden {each.id}"
            runs.append(variants.run(name, free, each.code, exercise))
    for each in exercise.misconceptions if facts.proving else ():
        name = f"misconception again {each.id}"
        runs.append(variants.run_mutant(name, hidden_again, each.code, used, reseeded))
    runs += [variants.run(f"wrong {each.id}", free, each.source, exercise) for each in generated]
    for mutant in candidates:
        name = f"mutant {mutant.change}"
        runs.append(variants.run_mutant(name, hidden, mutant.source, used, exercise))
    for mistake in conditional:
        name = f"condition {mistake.id}"
        runs.append(variants.run_mutant(name, hidden_free, mistake.source, used, exercise))
    for how in REPEATS if facts.sound else ():
        again = variants.repeated(exercise, how)
        runs.append(variants.run_for_evidence(f"again {how}", again, right))
    results = yield runs
    facts.misconceptions = _by_id(results, "misconception", exercise)
    facts.misconceptions_again = _by_id(results, "misconception again", exercise)
    facts.unforbidden = _by_id(results, "misconception unforbidden", exercise)
    facts.unbudgeted = _by_id(results, "misconception unbudgeted", exercise)
    facts.wrong = [(each, results[f"wrong {each.id}"]) for each in generated]
    if facts.proving:
        facts.mutants = [(each, results[f"mutant {each.change}"]) for each in candidates]
    facts.conditional = [(each, results[f"condition {each.id}"]) for each in conditional]
    facts.again = {how: results[f"again {how}"] for how in REPEATS if facts.sound}


def _by_id(results: Results, name: str, exercise: Exercise) -> dict[str, Verdict]:
    """Return the verdicts on misconceptions of the runs with a name, where there were any."""
    ids = [each.id for each in exercise.misconceptions]
    return {each: results[run] for each in ids if (run := f"{name} {each}") in results}


def never_failed(facts: ProofFacts) -> frozenset[TestId]:
    """Return the sound tests that no wrong program has failed.

    Among generated programs one that raises says nothing: a test that is content with whatever
    comes back fails it too.
    """
    answered = []
    generated = [verdict for _, verdict in (*facts.wrong, *(facts.mutants or ()))]
    for verdict in (*generated, *facts.thorough):
        errored = (test.id for test in verdict.tests if test.outcome is Outcome.ERRORED)
        answered.append(failed(verdict).difference(errored))
    return facts.sound.difference(*answered, *map(failed, facts.misconceptions.values()))
