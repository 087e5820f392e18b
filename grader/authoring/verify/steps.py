"""The steps of one proof: the next runs, chosen by the verdicts so far."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grader.authoring.verify import variants
from grader.authoring.verify.locations import Locations
from grader.authoring.verify.suite_steps import make_wrong_suites, plan_single_runs, plan_suite_runs
from grader.authoring.verify.variants import Repetition, RunGroup, VariantRun
from grader.authoring.verify.wrong_programs import (
    WrongProgram,
    make_conditional_mistakes,
    sabotage_programs,
)
from grader.definitions.exercise import Exercise, TestId
from grader.grading.results.verdict import Evidence, Outcome, Verdict
from grader.mutation import Mutant, mutants

_DID_NOT_DECIDE = (Outcome.PASSED, Outcome.NOT_RUN)


@dataclass
class ProofFacts:
    """The programs of an exercise's proof, with the verdicts so far by group and program name."""

    exercise: Exercise
    right_program: str = ""  # the solution, after the starter if it needs that
    sound_tests: frozenset[TestId] = frozenset()  # tests that the right program passes
    # The first is graded before the solution, and both are graded again.
    sabotaged_programs: tuple[WrongProgram, ...] = ()
    mutants: tuple[Mutant, ...] | None = None  # None if not tried
    conditional_programs: tuple[WrongProgram, ...] = ()
    verdicts: dict[RunGroup, dict[str, Verdict]] = field(default_factory=lambda: defaultdict(dict))

    @cached_property
    def locations(self) -> Locations:
        """The places in the exercise's file."""
        return Locations(self.exercise)

    @property
    def solution(self) -> Verdict:
        """The verdict on the solution."""
        return self.verdicts[RunGroup.SOLUTION][""]

    @property
    def evidence(self) -> Evidence | None:
        """The observations of a second run of the solution in the same process."""
        return self.solution.evidence

    @property
    def hidden_tests(self) -> frozenset[TestId]:
        """The hidden tests that the right program passes."""
        return frozenset(test.id for test in self.exercise.tests if test.hidden) & self.sound_tests

    @property
    def can_prove(self) -> bool:
        """True if the solution passes every hidden test, and there is one."""
        hidden = [test.id for test in self.exercise.tests if test.hidden]
        return bool(hidden) and self.hidden_tests == frozenset(hidden)

    def find_unfailed_tests(self) -> frozenset[TestId]:
        """Return the sound tests that every wrong program so far has passed.

        Generated programs that raise are ignored: even a test that accepts any result fails them.
        """
        tests = self.sound_tests.difference(
            *map(failed_tests, self.verdicts[RunGroup.MISCONCEPTION].values())
        )
        for group in (RunGroup.SABOTAGED, RunGroup.MUTANT, RunGroup.UNFAILED_TESTS):
            for verdict in self.verdicts[group].values():
                errored = (test.id for test in verdict.tests if test.outcome is Outcome.ERRORED)
                tests -= failed_tests(verdict).difference(errored)
        return tests


def passed_tests(verdict: Verdict) -> frozenset[TestId]:
    """Return the tests that a program passes."""
    return frozenset(test.id for test in verdict.tests if test.outcome is Outcome.PASSED)


def failed_tests(verdict: Verdict) -> frozenset[TestId]:
    """Return the tests that a program ran and did not pass."""
    return frozenset(test.id for test in verdict.tests if test.outcome not in _DID_NOT_DECIDE)


def run_steps(facts: ProofFacts) -> Iterator[list[VariantRun]]:
    """Yield rounds of runs; the verdicts of a round must be stored before the next one."""
    exercise = facts.exercise
    facts.right_program = exercise.solution
    if exercise.asks_for_suite:
        facts.sabotaged_programs = make_wrong_suites(exercise)
        yield list(plan_suite_runs(exercise, facts.sabotaged_programs))
        facts.sound_tests = passed_tests(facts.solution)
        # A solution that rejects all wrong programs at once rejects each of them.
        accepts_any = facts.verdicts[RunGroup.STRICT][""].outcome is not Outcome.PASSED
        yield list(plan_single_runs(exercise, with_all=accepts_any))
        return
    facts.sabotaged_programs = sabotage_programs(exercise, facts.right_program)
    yield from _run_right_programs(facts)
    # If the solution times out, most of the other runs would take as long.
    if facts.solution.has_timed_out:
        facts.sound_tests = frozenset()
        return
    if facts.can_prove:
        # The starter's helpers are mutated too, because a learner may rewrite them wrongly.
        facts.mutants = mutants(facts.right_program, tuple(exercise.defines))
        facts.conditional_programs = tuple(make_conditional_mistakes(exercise, facts.right_program))
    yield list(_plan_sabotaged_runs(facts))
    yield list(_plan_last_runs(facts))


def _run_right_programs(facts: ProofFacts) -> Iterator[list[VariantRun]]:
    """Run solution and starter; if the solution fails, run variants that explain why."""
    exercise, solution = facts.exercise, facts.exercise.solution
    empty = variants.make_variant(exercise, "bare", tests=(), defines={}, forbid=None, kind="write")
    visible = variants.all_visible(exercise)
    wrong_program = facts.sabotaged_programs[0].source
    # The solution comes first, before any worker has seen the exercise.
    yield [
        variants.plan_with_evidence(RunGroup.SOLUTION, "", exercise, solution, wrong_program),
        variants.plan_run(RunGroup.STARTER, "", exercise, exercise.starter),
        *(
            variants.plan_run(RunGroup.ALSO_RIGHT, str(number), visible, program.code, exercise)
            for number, program in enumerate(exercise.also_right)
        ),
        variants.plan_with_evidence(RunGroup.EMPTY, "", empty, "pass\n"),
    ]
    facts.sound_tests = passed_tests(facts.solution)
    if facts.solution.outcome is not Outcome.PASSED and not facts.solution.has_timed_out:
        # Comments that name files join the parts of each file.
        both = f"{exercise.starter.rstrip()}\n\n\n{solution}"
        yield [
            variants.plan_run(RunGroup.ALL_VISIBLE, "", visible, solution, exercise),
            variants.plan_run(RunGroup.STARTER_AND_SOLUTION, "", exercise, both),
        ]
        if (
            sound := passed_tests(facts.verdicts[RunGroup.STARTER_AND_SOLUTION][""])
        ) > facts.sound_tests:
            facts.sound_tests, facts.right_program = sound, both
            facts.sabotaged_programs = sabotage_programs(exercise, both)


def _plan_sabotaged_runs(facts: ProofFacts) -> Iterator[VariantRun]:
    """Yield the runs of all wrong programs, and of the right program again."""
    exercise = facts.exercise
    used = facts.evidence.usage if facts.evidence else None
    unbudgeted, free = variants.without_budgets(exercise), variants.without_forbidden(exercise)
    reseeded = variants.repeat(exercise, Repetition.RESEEDED)
    hidden, hidden_again = variants.hidden_only(exercise), variants.hidden_only(reseeded)
    for misconception in exercise.misconceptions:
        if unbudgeted is not None:
            yield variants.plan_run(
                RunGroup.WITHOUT_BUDGETS, misconception.id, unbudgeted, misconception.code
            )
        yield variants.plan_run(
            RunGroup.MISCONCEPTION, misconception.id, exercise, misconception.code, diagnosed=True
        )
        if exercise.forbid is not None:
            yield variants.plan_run(
                RunGroup.WITHOUT_FORBIDDEN, misconception.id, free, misconception.code, exercise
            )
    for misconception in exercise.misconceptions if facts.can_prove else ():
        yield variants.plan_mutant(
            RunGroup.RESEEDED, misconception.id, hidden_again, misconception.code, used, reseeded
        )
    for wrong in facts.sabotaged_programs:
        yield variants.plan_run(RunGroup.SABOTAGED, wrong.id, free, wrong.source, exercise)
    for mutant in facts.mutants or ():
        yield variants.plan_mutant(
            RunGroup.MUTANT, mutant.change, hidden, mutant.source, used, exercise
        )
    hidden_free = variants.without_forbidden(hidden)
    for wrong in facts.conditional_programs:
        yield variants.plan_mutant(
            RunGroup.CONDITIONAL, wrong.id, hidden_free, wrong.source, used, exercise
        )
    for repetition in Repetition if facts.sound_tests else ():
        yield variants.plan_with_evidence(
            RunGroup.REPEATED,
            repetition,
            variants.repeat(exercise, repetition),
            facts.right_program,
        )


def _plan_last_runs(facts: ProofFacts) -> Iterator[VariantRun]:
    exercise = facts.exercise
    # One mutant may fail a test that nothing has failed yet, if it runs through all of these.
    if unfailed := facts.find_unfailed_tests():
        rest = tuple(test for test in exercise.tests if test.id in unfailed)
        few = variants.make_variant(
            exercise, f"only {' '.join(each.id for each in rest)}", tests=rest
        )
        for mutant in facts.mutants or ():
            yield variants.plan_run(
                RunGroup.UNFAILED_TESTS, mutant.change, few, mutant.source, exercise
            )
    # A misconception that raises in every test runs again with all tests visible, to show its
    # error.
    visible = variants.all_visible(exercise)
    for misconception in exercise.misconceptions:
        tests = facts.verdicts[RunGroup.MISCONCEPTION][misconception.id].tests
        if tests and all(test.outcome is Outcome.ERRORED for test in tests):
            yield variants.plan_with_evidence(
                RunGroup.BROKEN, misconception.id, visible, misconception.code
            )
