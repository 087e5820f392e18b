"""The steps of one proof: what to run next, by the verdicts so far."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grader.authoring.verify import variants
from grader.authoring.verify.locations import Locations
from grader.authoring.verify.suite_steps import STRICT, alone_runs, suite_runs, wrong_suites
from grader.authoring.verify.variants import REPEATS, VariantRun
from grader.authoring.verify.wrong_programs import (
    SabotagedProgram,
    conditional_mistakes,
    wrong_programs,
)
from grader.definitions.exercise import Exercise, TestId
from grader.grading.results.verdict import Evidence, Outcome, Verdict
from grader.mutation import Mutant, mutants

_DID_NOT_DECIDE = (Outcome.PASSED, Outcome.NOT_RUN)


@dataclass
class ProofFacts:
    """All that was found out about an exercise.

    `verdicts` has the verdicts of each group of runs by the names of the programs.
    """

    exercise: Exercise
    right: str = ""  # the solution, or with the starter in front if it needs that
    sound: frozenset[TestId] = frozenset()  # tests that the right program passes
    wrong: tuple[
        SabotagedProgram, ...
    ] = ()  # the first is graded before the solution, and both again
    mutants: tuple[Mutant, ...] | None = None  # None: not tried
    conditional: tuple[SabotagedProgram, ...] = ()
    verdicts: dict[str, dict[str, Verdict]] = field(default_factory=lambda: defaultdict(dict))

    @cached_property
    def places(self) -> Locations:
        """The places in the exercise's file."""
        return Locations(self.exercise)

    @property
    def solution(self) -> Verdict:
        """The verdict on the solution."""
        return self.verdicts["solution"][""]

    @property
    def evidence(self) -> Evidence | None:
        """The observations of a second run of the solution in the same process."""
        return self.solution.evidence

    @property
    def hidden(self) -> frozenset[TestId]:
        """The hidden tests that the right program passes."""
        return frozenset(t.id for t in self.exercise.tests if t.hidden) & self.sound

    @property
    def proving(self) -> bool:
        """Return whether there are hidden tests that the solution passes."""
        hidden = [test.id for test in self.exercise.tests if test.hidden]
        return bool(hidden) and self.hidden == frozenset(hidden)

    def never_failed(self) -> frozenset[TestId]:
        """Return the sound tests that no wrong program has failed.

        Among generated programs one that raises says nothing: a test that is content with whatever
        comes back fails it too.
        """
        tests = self.sound.difference(*map(failed, self.verdicts["misconception"].values()))
        for group in ("wrong", "mutant", "thorough"):
            for verdict in self.verdicts[group].values():
                errored = (test.id for test in verdict.tests if test.outcome is Outcome.ERRORED)
                tests -= failed(verdict).difference(errored)
        return tests


def passed(verdict: Verdict) -> frozenset[TestId]:
    """Return the tests that a program passes."""
    return frozenset(test.id for test in verdict.tests if test.outcome is Outcome.PASSED)


def failed(verdict: Verdict) -> frozenset[TestId]:
    """Return the tests that a program ran and did not pass."""
    return frozenset(test.id for test in verdict.tests if test.outcome not in _DID_NOT_DECIDE)


def run_steps(facts: ProofFacts) -> Iterator[list[VariantRun]]:
    """Yield rounds of runs, whose verdicts have to be among the facts before the next."""
    exercise = facts.exercise
    facts.right = exercise.solution
    if exercise.kind == "test":
        facts.wrong = wrong_suites(exercise)
        yield list(suite_runs(exercise, facts.wrong))
        facts.sound = passed(facts.solution)
        # A solution that rejects all of the wrong programs rejects each.
        accepts_any = facts.verdicts[STRICT][""].outcome is not Outcome.PASSED
        yield list(alone_runs(exercise, every=accepts_any))
        return
    facts.wrong = wrong_programs(exercise, facts.right)
    yield from _right_programs(facts)
    if facts.solution.timed_out:  # most of the other runs would take as long
        facts.sound = frozenset()
        return
    facts.wrong = wrong_programs(exercise, facts.right)
    if facts.proving:
        # Helpers of the starter too: a learner may rewrite them, and wrongly.
        facts.mutants = mutants(facts.right, tuple(exercise.defines))
        facts.conditional = tuple(conditional_mistakes(exercise, facts.right))
    yield list(_wrong_programs(facts))
    yield list(_last_runs(facts))


def _right_programs(facts: ProofFacts) -> Iterator[list[VariantRun]]:
    """Run solution and starter; if the solution fails, find out more about why."""
    exercise, solution = facts.exercise, facts.exercise.solution
    bare = variants.make_variant(exercise, "bare", tests=(), defines={}, forbid=None, kind="write")
    visible = variants.all_visible(exercise)
    other = facts.wrong[0].source
    yield [  # the solution first: no worker has met the exercise before
        variants.plan_with_evidence("solution", "", exercise, solution, other),
        variants.plan("starter", "", exercise, exercise.starter),
        *(
            variants.plan("also right", str(number), visible, program.code, exercise)
            for number, program in enumerate(exercise.also_right)
        ),
        variants.plan_with_evidence("bare", "", bare, "pass\n"),
    ]
    facts.sound = passed(facts.solution)
    if facts.solution.outcome is not Outcome.PASSED and not facts.solution.timed_out:
        # The comments that name files join the parts of each file.
        both = f"{exercise.starter.rstrip()}\n\n\n{solution}"
        yield [
            variants.plan("opened", "", visible, solution, exercise),
            variants.plan("both", "", exercise, both),
        ]
        if (sound := passed(facts.verdicts["both"][""])) > facts.sound:
            facts.sound, facts.right = sound, both


def _wrong_programs(facts: ProofFacts) -> Iterator[VariantRun]:
    """Yield the runs of everything that is wrong, and the right program again."""
    exercise, used = facts.exercise, facts.evidence
    unbudgeted, free = variants.without_budgets(exercise), variants.without_forbidden(exercise)
    reseeded = variants.repetition(exercise, "with other seeds")
    hidden, hidden_again = variants.hidden_only(exercise), variants.hidden_only(reseeded)
    for misconception in exercise.misconceptions:
        if unbudgeted is not None:
            yield variants.plan("unbudgeted", misconception.id, unbudgeted, misconception.code)
        yield variants.plan(
            "misconception", misconception.id, exercise, misconception.code, diagnosed=True
        )
        if exercise.forbid is not None:
            yield variants.plan("unforbidden", misconception.id, free, misconception.code, exercise)
    for misconception in exercise.misconceptions if facts.proving else ():
        yield variants.plan_mutant(
            "reseeded", misconception.id, hidden_again, misconception.code, used, reseeded
        )
    for wrong in facts.wrong:
        yield variants.plan("wrong", wrong.id, free, wrong.source, exercise)
    for mutant in facts.mutants or ():
        yield variants.plan_mutant("mutant", mutant.change, hidden, mutant.source, used, exercise)
    hidden_free = variants.without_forbidden(hidden)
    for wrong in facts.conditional:
        yield variants.plan_mutant("condition", wrong.id, hidden_free, wrong.source, used, exercise)
    for how in REPEATS if facts.sound else ():
        yield variants.plan_with_evidence(
            "again", how, variants.repetition(exercise, how), facts.right
        )


def _last_runs(facts: ProofFacts) -> Iterator[VariantRun]:
    exercise = facts.exercise
    # A mutant may fail a test that nothing failed yet, if it runs through all of these.
    if left := facts.never_failed():
        rest = tuple(test for test in exercise.tests if test.id in left)
        few = variants.make_variant(
            exercise, f"only {' '.join(each.id for each in rest)}", tests=rest
        )
        for mutant in facts.mutants or ():
            yield variants.plan("thorough", mutant.change, few, mutant.source, exercise)
    # A misconception that raises in every test runs again, each test free to say what it raises.
    visible = variants.all_visible(exercise)
    for misconception in exercise.misconceptions:
        tests = facts.verdicts["misconception"][misconception.id].tests
        if tests and all(test.outcome is Outcome.ERRORED for test in tests):
            yield variants.plan("broken", misconception.id, visible, misconception.code, exercise)
