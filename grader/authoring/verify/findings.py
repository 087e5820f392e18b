"""The findings of a proof, each a reason why an exercise is not proven."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from grader.authoring.verify import check_names
from grader.authoring.verify.proof import Counts, ProofFinding
from grader.authoring.verify.steps import ProofFacts, failed_tests, passed_tests
from grader.authoring.verify.variants import RunGroup
from grader.authoring.verify.wrong_programs import (
    EMPTY,
    FILLED,
    NOTHING,
    RAISES,
    RECTANGLES,
    SHAPES,
    SQUARES,
    WrongProgram,
)
from grader.definitions.exercise import TestCase, TestId
from grader.definitions.wording import did_you_mean, join_quoted
from grader.grading.checks.suite import mutants_of_program
from grader.grading.jobs import find_limits
from grader.grading.results.verdict import Outcome, Verdict
from grader.mutation import mutants

_Check: TypeAlias = Callable[[ProofFacts], Iterator[ProofFinding]]

# Errors that an author's slip causes, not a learner's mistake.
_SLIPS: Final = ("NameError", "UnboundLocalError", "ImportError", "SyntaxError")
_HEADROOM: Final = 10  # a solution may use a tenth of a limit
_MIN_CPU: Final = 0.05  # seconds that a busy machine may add to any run


def find_problems(facts: ProofFacts) -> tuple[ProofFinding, ...]:
    """Return the findings of every check, in the order of the checks."""
    return tuple(finding for check in _CHECKS for finding in check(facts))


def find_notes(facts: ProofFacts) -> Iterator[ProofFinding]:
    """Yield notes for the author that do not prevent the proof."""
    for part, verdict in facts.verdicts[RunGroup.WITHOUT_PART].items():
        if verdict.outcome is Outcome.PASSED:
            message = f"the solution rejects every wrong program also without {part}"
            yield ProofFinding.at(check_names.CAN_FAIL, message, facts.locations.line("solution"))
    uncalled = _find_blind_tests(facts)
    for test in facts.exercise.tests:
        is_told = test.id in uncalled or (facts.can_prove and _find_tolerated(facts, test))
        fooled = [
            program for program in facts.sabotaged_programs if _is_fooled(facts, program, test.id)
        ]
        if is_told or test.id not in facts.sound_tests or not fooled:
            continue
        filled = [program for program in fooled if program.id not in SHAPES]
        advice = "let it check the shape before the values"
        if filled:
            advice = "good only beside tests that check values"
        addition = ", and an empty result" if filled and any(e.id in EMPTY for e in fooled) else ""
        does = (filled or fooled)[0].does
        message = f"test '{test.id}' accepts a submission that {does}{addition}; {advice}"
        yield ProofFinding.at(check_names.CONSTANTS, message, facts.locations.test(test.id))
    accepted = [
        name for name, v in facts.verdicts[RunGroup.CONDITIONAL].items() if not _is_killed(v)
    ]
    if RECTANGLES in accepted and SQUARES not in accepted:
        message = (
            "every matrix of the hidden tests is square, so rows and columns may be exchanged; let "
            "its axes have different lengths where the instructions allow it"
        )
        yield ProofFinding.at(check_names.CONSTANTS, message, facts.locations.line("tests"))
    accepted = [name for name in accepted if name != RECTANGLES]
    if accepted:
        message = (
            "no hidden test rejects a submission that is wrong only in one of these cases: "
            f"{'; '.join(accepted)}. Draw those that the instructions promise"
        )
        yield ProofFinding.at(check_names.MUTANTS, message, facts.locations.line("tests"))
    for name, verdict in facts.verdicts[RunGroup.WITHOUT_BUDGETS].items():
        diagnosis = facts.verdicts[RunGroup.MISCONCEPTION][name].diagnosis
        if verdict.outcome is Outcome.PASSED and diagnosis is not None:
            message = (
                f"only a budget tells misconception '{name}' from the solution, so its sentence is "
                "said of any program that uses too much; let it say no more than that, or add a "
                "test of its values"
            )
            yield ProofFinding.at(
                check_names.DIAGNOSED, message, facts.locations.misconception(name)
            )


def find_skipped(facts: ProofFacts) -> tuple[str, ...]:
    """Return the checks that are meaningless until other findings are fixed."""
    if facts.can_prove or facts.exercise.asks_for_suite:
        return ()
    names = [
        check_names.CONSTANTS,
        check_names.REJECTED,
        check_names.DIAGNOSED,
        check_names.MUTANTS,
        check_names.EQUIVALENT,
    ]
    if not facts.sound_tests:
        names += [check_names.CAN_FAIL, check_names.REPEATABLE, check_names.INDEPENDENT]
    return tuple(names)


def count_programs(facts: ProofFacts) -> Counts:
    """Count the tests, programs and mutants that were tried."""
    exercise = facts.exercise
    allowed = {equivalent.change for equivalent in exercise.equivalent}
    tried = facts.verdicts[RunGroup.MUTANT]
    if exercise.asks_for_suite:
        accepted = _find_accepted(facts)
        changes = {mutant.change for mutant in mutants_of_program(exercise)}
        return Counts(
            tests=len(exercise.tests),
            misconceptions=len(exercise.misconceptions),
            rejected=sum(mistake.id not in accepted for mistake in exercise.misconceptions),
            mutants=len(changes),
            killed=len(changes - accepted),
            equivalent=len(accepted & allowed),
        )
    return Counts(
        tests=len(exercise.tests),
        hidden=sum(test.hidden for test in exercise.tests),
        misconceptions=len(exercise.misconceptions),
        rejected=sum(_is_rejected(facts, name) for name in facts.verdicts[RunGroup.MISCONCEPTION]),
        mutants=len(tried),
        killed=sum(map(_is_killed, tried.values())),
        equivalent=sum(not _is_killed(v) and change in allowed for change, v in tried.items()),
    )


def _is_killed(verdict: Verdict) -> bool:
    return verdict.outcome is not Outcome.PASSED


def _is_refused(facts: ProofFacts, wrong: WrongProgram) -> bool:
    """Return whether a program is rejected, by a hidden test or before any test."""
    verdict = facts.verdicts[RunGroup.SABOTAGED][wrong.id]
    return bool(verdict.message or failed_tests(verdict) & facts.hidden_tests)


def _check_right_programs(facts: ProofFacts) -> Iterator[ProofFinding]:
    verdict = facts.solution
    if facts.right_program != facts.exercise.solution:
        message = (
            "the solution needs what only the starter defines: with the starter in front of it "
            "more tests pass; a solution stands alone, so write all of it there"
        )
        yield ProofFinding.at(check_names.SOLUTION, message, facts.locations.line("solution"))
    if verdict.message:
        message = f"the solution does not run: {verdict.message}"
        yield ProofFinding.at(
            check_names.SOLUTION, message, facts.locations.in_text(verdict.line or 1, "solution")
        )
    opened = facts.verdicts[RunGroup.ALL_VISIBLE].get("", verdict)
    messages = {test.id: test.message for test in opened.tests}
    for test in verdict.tests if not verdict.message else ():
        if test.outcome is not Outcome.PASSED and test.id not in _find_unstable_tests(facts):
            message = f"the solution fails test '{test.id}': {messages[test.id] or test.message}"
            yield ProofFinding.at(check_names.SOLUTION, message, facts.locations.test(test.id))
    for number, verdict in enumerate(facts.verdicts[RunGroup.ALSO_RIGHT].values()):
        where = facts.locations.in_text(verdict.line or 1, "also_right", number)
        program = f"right program {number + 1} of `also_right`"
        if verdict.message:
            message = f"{program} does not run: {verdict.message}"
            yield ProofFinding.at(check_names.ALSO_RIGHT, message, where)
        for test in verdict.tests if not verdict.message else ():
            if test.outcome is not Outcome.PASSED:
                message = f"{program} fails test '{test.id}': {test.message}"
                yield ProofFinding.at(check_names.ALSO_RIGHT, message, where)


def _check_starter(facts: ProofFacts) -> Iterator[ProofFinding]:
    verdict = facts.verdicts[RunGroup.STARTER][""]
    if verdict.outcome is Outcome.PASSED:
        message = "the starter passes every test, so there is nothing left to do; take more out"
        yield ProofFinding.at(check_names.STARTER, message, facts.locations.line("starter"))
    elif verdict.message and not facts.exercise.is_prediction and not verdict.is_unanswered:
        message = (
            f"the starter does not run: {verdict.message} Learners begin with it, so it must load "
            "and define every name; `...` will do as a body"
        )
        where = facts.locations.in_text(verdict.line or 1, "starter")
        yield ProofFinding.at(check_names.STARTER, message, where)


def _find_accepted(facts: ProofFacts) -> frozenset[str]:
    """Return the wrong programs that the solution of a `test` exercise accepts."""
    alone = facts.verdicts[RunGroup.SINGLE_PROGRAM].items()
    return frozenset(name for name, verdict in alone if verdict.outcome is not Outcome.PASSED)


def _check_suites(facts: ProofFacts) -> Iterator[ProofFinding]:
    """Find the wrong programs that the solution of a `test` exercise accepts."""
    exercise, accepted = facts.exercise, _find_accepted(facts)
    if not exercise.asks_for_suite or facts.solution.tests[0].outcome is not Outcome.PASSED:
        return
    for misconception in exercise.misconceptions:
        if misconception.id in accepted:
            message = (
                f"the solution accepts misconception '{misconception.id}'; add a test that it fails"
            )
            yield ProofFinding.at(check_names.REJECTED, message, misconception.where)
    allowed = {equivalent.change: equivalent for equivalent in exercise.equivalent}
    mutants = {mutant.change: mutant for mutant in mutants_of_program(exercise)}
    for mutant in (mutants[name] for name in mutants if name in accepted and name not in allowed):
        message = (
            f"the solution accepts a mutant of the program, {mutant.change}; add a test that it "
            "fails, or list the change under `equivalent` with a reason"
        )
        where = facts.locations.in_text(mutant.line, "program")
        yield ProofFinding.at(check_names.MUTANTS, message, where, mutant.diff, mutant.change)
    for name in allowed.keys() - accepted:
        reason = "the solution rejects" if name in mutants else "the program has no mutant"
        message = f"equivalent: {reason} '{name}'; take the entry out"
        yield ProofFinding.at(check_names.EQUIVALENT, message, allowed[name].where)


def _check_tests(facts: ProofFacts) -> Iterator[ProofFinding]:
    if not facts.exercise.asks_for_suite and not any(test.hidden for test in facts.exercise.tests):
        message = (
            "no test is hidden, so anyone who copies the expected values passes; mark tests with "
            "inputs of their own as `hidden: true`"
        )
        yield ProofFinding.at(check_names.HIDDEN, message, facts.locations.line("tests"))
    names, uncalled = list(facts.exercise.defines), _find_blind_tests(facts)
    for name in uncalled:
        message = (
            f"test '{name}' passes though every definition raises: it never uses the submission; "
            f"call {join_quoted(names, 'or')} in it"
        )
        yield ProofFinding.at(check_names.CALLS, message, facts.locations.test(name))
    for program in facts.sabotaged_programs if facts.sound_tests else ():
        if program.is_unusable and facts.sound_tests <= passed_tests(
            facts.verdicts[RunGroup.SABOTAGED][program.id]
        ):
            message = f"no test uses '{program.only}': one that raises passes them all; add a test"
            yield ProofFinding.at(
                check_names.CALLS, message, facts.locations.definition(program.only)
            )
    unfailed = facts.find_unfailed_tests() - frozenset(uncalled)
    for test in facts.exercise.tests:
        if test.id in unfailed:
            message = (
                f"test '{test.id}' passes with every misconception, mutant and wrong program; "
                "let it check more, or take it out"
            )
            yield ProofFinding.at(check_names.CAN_FAIL, message, facts.locations.test(test.id))


def _find_blind_tests(facts: ProofFacts) -> list[TestId]:
    """Return the tests that pass whether functions raise or return None."""
    wrong = facts.verdicts[RunGroup.SABOTAGED]
    blind = [passed_tests(wrong[name]) for name in (RAISES, NOTHING) if name in wrong]
    return [
        test.id for test in facts.exercise.tests if blind and all(test.id in ids for ids in blind)
    ]


def _check_constants(facts: ProofFacts) -> Iterator[ProofFinding]:
    if not facts.can_prove:
        return
    allowed = {equivalent.change for equivalent in facts.exercise.equivalent}
    for wrong in facts.sabotaged_programs:
        if wrong.must_be_rejected and wrong.change not in allowed and not _is_refused(facts, wrong):
            lacking = "the shape" if wrong.id in SHAPES else "values"
            message = (
                f"every hidden test accepts a submission that {wrong.does}; add a hidden test that "
                f"checks {lacking}"
            )
            yield ProofFinding.at(check_names.CONSTANTS, message, facts.locations.line("tests"))
    for test in facts.exercise.tests:
        if fooling := _find_tolerated(facts, test):
            message = (
                f"test '{test.id}' tolerates so much that it accepts a submission that "
                f"{fooling[0].does}; make its tolerance smaller"
            )
            where = facts.locations.test(test.id, "tolerance")
            yield ProofFinding.at(check_names.CONSTANTS, message, where)


def _find_tolerated(facts: ProofFacts, test: TestCase) -> list[WrongProgram]:
    """Return the constants that a test accepts in place of an array of several numbers."""
    evidence = facts.evidence
    if evidence is None or test.id not in evidence.varied or test.id not in facts.sound_tests:
        return []
    if test.tolerance is None:
        return []
    allowed = {equivalent.change for equivalent in facts.exercise.equivalent}
    filled = [
        program
        for program in facts.sabotaged_programs
        if program.id in FILLED and program.change not in allowed
    ]
    return [program for program in filled if _is_fooled(facts, program, test.id)]


def _is_fooled(facts: ProofFacts, wrong: WrongProgram, test: TestId) -> bool:
    verdict = facts.verdicts[RunGroup.SABOTAGED].get(wrong.id)  # missing if the solution timed out
    if verdict is None or wrong.only or not wrong.must_be_rejected:
        return False
    return test in passed_tests(verdict)


def _check_expected(facts: ProofFacts) -> Iterator[ProofFinding]:
    evidence = facts.evidence
    keys = {test.id: test.expected_key for test in facts.exercise.tests}
    for value in evidence.wrong_expected_values if evidence else ():
        message = f"test '{value.test}': {value.message}"
        where = facts.locations.test(value.test, keys[value.test])
        yield ProofFinding.at(check_names.EXPECTED, message, where)


def _check_rejected(facts: ProofFacts) -> Iterator[ProofFinding]:
    if not facts.can_prove:
        return
    for name in facts.verdicts[RunGroup.MISCONCEPTION]:
        where = facts.locations.misconception(name)
        if problem := _find_load_error(facts, name):
            message = f"misconception '{name}' does not run: {problem} Fix its code"
            yield ProofFinding.at(check_names.REJECTED, message, where)
        elif error := _find_common_error(facts, name):
            message = f"misconception '{name}' raises {error} in every test; fix its code"
            yield ProofFinding.at(check_names.REJECTED, message, where)
        elif not _is_rejected(facts, name):
            message = (
                f"misconception '{name}' passes every hidden test; add one that it fails, or "
                "correct its code"
            )
            yield ProofFinding.at(check_names.REJECTED, message, where)


def _find_load_error(facts: ProofFacts, name: str) -> str:
    """Return why a misconception does not run, apart from forbidden names."""
    usual = facts.verdicts[RunGroup.MISCONCEPTION][name]
    return facts.verdicts[RunGroup.WITHOUT_FORBIDDEN].get(name, usual).message


def _find_common_error(facts: ProofFacts, name: str) -> str:
    """Return the error of a slip that ends a misconception in every test, or ""."""
    verdict = facts.verdicts[RunGroup.BROKEN].get(name)
    if verdict is None or verdict.evidence is None:
        return ""
    errors = [verdict.evidence.errors.get(test.id, ("", "")) for test in verdict.tests]
    kinds = {kind for kind, _ in errors}
    return errors[0][1] if len(kinds) == 1 and kinds <= {*_SLIPS} else ""


def _is_rejected(facts: ProofFacts, name: str) -> bool:
    """Return whether hidden tests reject a misconception, or the exercise forbids it.

    If it failed a visible test, the run with hidden tests alone decides.
    """
    verdict, reseeded = (
        facts.verdicts[RunGroup.MISCONCEPTION][name],
        facts.verdicts[RunGroup.RESEEDED],
    )
    if _find_common_error(facts, name):
        return False
    if verdict.message:
        return not _find_load_error(facts, name)
    ran = {test.id for test in verdict.tests if test.outcome is not Outcome.NOT_RUN}
    if not facts.hidden_tests <= ran and name in reseeded:
        return _is_killed(reseeded[name])
    return bool(failed_tests(verdict) & facts.hidden_tests)


def _check_diagnosed(facts: ProofFacts) -> Iterator[ProofFinding]:
    if not facts.can_prove:
        return
    misconceptions = facts.verdicts[RunGroup.MISCONCEPTION]
    for name, verdict in misconceptions.items():
        for cause in verdict.feedback_errors:
            message = (
                f"a part of the feedback on misconception '{name}' failed: {cause}. The verdict "
                "stands without it; please report this as a fault of Etude"
            )
            yield ProofFinding.at(
                check_names.DIAGNOSED, message, facts.locations.misconception(name)
            )
        if verdict.message or not _is_rejected(facts, name):
            continue  # another finding reports this
        diagnosis = verdict.diagnosis
        if diagnosis is None:
            message = (
                f"misconception '{name}' is not recognized as itself; add a `call` or `run` test "
                "(a `pytest` body tells nothing) in which hardly another mistake gives its answer: "
                "a fraction, or at least four numbers that are not all equal. Where an error is "
                "right, let `run` catch it, and print the result if none comes"
            )
        elif name not in diagnosis.ids:
            is_own = misconceptions.keys() >= set(diagnosis.ids)
            message = f"misconception '{name}' is diagnosed as '{diagnosis.id}'" + (
                "; add a test that tells them apart, or make them one"
                if is_own
                else ", a mistake that Etude knows by itself in any exercise; add a test whose "
                "answer is a fraction, or several numbers"
            )
        elif len(diagnosis.ids) > 1:
            others = join_quoted([other for other in diagnosis.ids if other != name], "and")
            message = (
                f"misconception '{name}' cannot be told from {others}; add a test in which their "
                "answers differ, or make them one"
            )
        else:
            continue
        yield ProofFinding.at(check_names.DIAGNOSED, message, facts.locations.misconception(name))


def _check_mutants(facts: ProofFacts) -> Iterator[ProofFinding]:
    if facts.mutants is None:
        return
    exercise = facts.exercise
    allowed = {equivalent.change for equivalent in exercise.equivalent}
    killed = {
        change: _is_killed(verdict) for change, verdict in facts.verdicts[RunGroup.MUTANT].items()
    }
    alive = [m for m in facts.mutants if not killed[m.change] and m.change not in allowed]
    learners = mutants(exercise.solution, exercise.defines, exercise.starter) if alive else ()
    for mutant in alive:
        source = (
            "of the solution"
            if mutant.change in {learner.change for learner in learners}
            else "of a helper that the starter supplies, and that a learner may rewrite"
        )
        message = (
            f"every hidden test accepts a mutant {source}, {mutant.change}; add a hidden test that "
            "it fails, or list the change under `equivalent` with a reason"
        )
        where = facts.locations.in_text(mutant.line, "solution")
        yield ProofFinding.at(check_names.MUTANTS, message, where, mutant.diff, mutant.change)
    killed |= {
        program.change: _is_refused(facts, program)
        for program in facts.sabotaged_programs
        if program.must_be_rejected
    }
    for entry in exercise.equivalent:
        if entry.change not in killed:
            close = did_you_mean(entry.change, killed) or "; take the entry out"
            message = f"equivalent: the solution has no mutant '{entry.change}'{close}"
        elif killed[entry.change]:
            message = (
                f"equivalent: a hidden test kills '{entry.change}', so it is not equivalent; "
                "take the entry out"
            )
        else:
            continue
        yield ProofFinding.at(check_names.EQUIVALENT, message, entry.where)


def _find_unstable_tests(facts: ProofFacts) -> frozenset[TestId]:
    """Return the tests whose reference value varies between runs."""
    evidence = facts.evidence
    return frozenset(evidence.changed_expected_values if evidence else ())


def _check_repeatable(facts: ProofFacts) -> Iterator[ProofFinding]:
    flaky = _find_unstable_tests(facts)
    for test in sorted(flaky):
        message = (
            f"test '{test}': the reference gives another value when it is asked again; let it "
            "compute from its arguments alone, without chance, a clock or what it did before"
        )
        yield ProofFinding.at(check_names.REPEATABLE, message, facts.locations.test(test))
    for repetition, verdict in facts.verdicts[RunGroup.REPEATED].items():
        for test in sorted((passed_tests(verdict) ^ facts.sound_tests) - flaky):
            before, now = ("passes", "fails") if test in facts.sound_tests else ("fails", "passes")
            message = (
                f"the solution {before} test '{test}', but {repetition} {now} it; the solution, "
                "the reference or the test depends on more than the inputs"
            )
            yield ProofFinding.at(check_names.REPEATABLE, message, facts.locations.test(test))
    for name, verdict in facts.verdicts[RunGroup.RESEEDED].items():
        if _is_rejected(facts, name) and not _is_killed(verdict):
            message = (
                f"misconception '{name}' is rejected, but passes with other seeds; let the hidden "
                "tests draw more often"
            )
            yield ProofFinding.at(
                check_names.REPEATABLE, message, facts.locations.misconception(name)
            )


def _check_independent(facts: ProofFacts) -> Iterator[ProofFinding]:
    evidence = facts.evidence
    if evidence is None:
        if facts.solution.outcome is Outcome.PASSED:
            message = "the solution and a wrong program cannot be graded twice within the limits"
            yield ProofFinding.at(
                check_names.INDEPENDENT, message, facts.locations.line("solution")
            )
        return
    for test in evidence.changed_inputs:
        message = (
            f"test '{test}': `given` makes other inputs when it runs again; let it take numbers "
            "from `rng` alone, and keep nothing outside its names, as in a module"
        )
        yield ProofFinding.at(check_names.INDEPENDENT, message, facts.locations.test(test, "given"))
    sentence = "the test keeps something outside its inputs, as in a module, for later submissions"
    unstable = _find_unstable_tests(facts)
    for test in (test_id for test_id in evidence.changed_outcomes if test_id not in unstable):
        before, now = ("passes", "fails") if test in facts.sound_tests else ("fails", "passes")
        message = (
            f"the solution {before} test '{test}', but {now} it when it is graded again: {sentence}"
        )
        yield ProofFinding.at(check_names.INDEPENDENT, message, facts.locations.test(test))
    for test in evidence.changed_wrong_outcomes:
        does = facts.sabotaged_programs[0].does
        message = (
            f"test '{test}' judges a submission that {does} differently once the solution was "
            f"graded: {sentence}"
        )
        yield ProofFinding.at(check_names.INDEPENDENT, message, facts.locations.test(test))


def _check_limits(facts: ProofFacts) -> Iterator[ProofFinding]:
    if facts.evidence is None or facts.solution.outcome is not Outcome.PASSED:
        return
    usage = facts.evidence.usage
    limits = find_limits(facts.exercise)
    max_cpu = max(limits.cpu_seconds / _HEADROOM, _MIN_CPU)
    bare = facts.verdicts[RunGroup.EMPTY].get("")  # the cost of a worker without a program
    bare_kib = bare.evidence.usage.peak_kib if bare is not None and bare.evidence is not None else 0
    grown = max(usage.peak_kib - bare_kib, 0) << 10
    # The fastest of several runs counts, because a busy machine may delay the others.
    repetitions = facts.verdicts[RunGroup.REPEATED].values()
    usages = [usage, *(verdict.evidence.usage for verdict in repetitions if verdict.evidence)]
    cpu, wall = min(run.cpu_seconds for run in usages), min(run.wall_seconds for run in usages)
    used = (
        ("CPU time", cpu, max_cpu, "{:.2f} s"),
        ("wall clock", wall, limits.wall_seconds / _HEADROOM, "{:.2f} s"),
        ("memory", grown / (1 << 20), limits.address_space / _HEADROOM / (1 << 20), "{:.0f} MiB"),
        ("output", usage.output_bytes / 1024, limits.output / _HEADROOM / 1024, "{:.1f} KiB"),
    )
    for resource, amount, limit, text in used:
        if amount > limit:
            message = (
                f"solution and tests take {text.format(amount)} of {resource}, and a tenth of the "
                f"limit is {text.format(limit)}; make the inputs smaller, or raise `limits`"
            )
            yield ProofFinding.at(check_names.LIMITS, message, facts.locations.line("tests"))


_CHECKS: Final[tuple[_Check, ...]] = (
    _check_right_programs,
    _check_suites,
    _check_starter,
    _check_tests,
    _check_constants,
    _check_expected,
    _check_rejected,
    _check_diagnosed,
    _check_mutants,
    _check_repeatable,
    _check_independent,
    _check_limits,
)
