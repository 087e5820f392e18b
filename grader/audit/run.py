"""One audit: the run of an assignment's tests against wrong programs."""

import ast
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from grader.audit import ready_tests, suite_checks, tasks
from grader.audit.confined import pytest_run
from grader.audit.confined.match import Correspondence
from grader.audit.confined.recorded_calls import WRONG, Recorder, WrongResults
from grader.audit.line_coverage import LineCoverage
from grader.audit.ready_tests import ReadyTest
from grader.audit.result import GROUPS, Audit, SuiteCheck, Survivor
from grader.audit.runner import Message, Runner, Task, TaskLimits, TaskOutcome
from grader.audit.tasks import PytestResult
from grader.audit.wrong_programs import (
    ExerciseFunction,
    Match,
    WrongProgram,
    make_misconception_programs,
)
from grader.authoring.sources.assignment import Assignment
from grader.definitions.wording import plural
from grader.errors import UsageError
from grader.mutation import mutants

_ALL_TESTS_SECONDS = 20.0
"""CPU seconds for running every test against every mutant, which finds redundant tests."""
# Time limit as a multiple of the solution's time; a slower program counts as endless.
_SLOWDOWN = 10
_CALLED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
# Twice the ordinary limits of the first run, because a later run repeats each test.
_SOLUTION = TaskLimits(cpu_seconds=120, wall_seconds=300.0)


@dataclass(frozen=True, slots=True)
class Request:
    """The options of an audit.

    Attributes:
        jobs: The number of parallel processes.
        accepted_changes: The changes of survivors that the author accepts.
        exercise_functions: Functions of exercises whose misconceptions are tried.
        similar_exercises: Ids of exercises that the author names as similar; their functions match
            by order, without a comparison of results.
        progress: Context manager that shows progress, given the number of programs and a verb; it
            yields a function to call after each program.
    """

    jobs: int = 1
    accepted_changes: frozenset[str] = frozenset()
    exercise_functions: tuple[ExerciseFunction, ...] = ()
    similar_exercises: frozenset[str] = frozenset()
    progress: Callable[[int, str], AbstractContextManager[Callable[[], object]]] = lambda _, __: (
        nullcontext(lambda: None)
    )


def run_audit(assignment: Assignment, request: Request) -> Audit:
    """Audit an assignment.

    Raises:
        UsageError: The assignment cannot be audited; the message says why.
        GraderFault: This host cannot confine processes.
    """
    with Runner(assignment, request.jobs) as runner:
        return _Auditor(runner, request).run()


class _Auditor:
    """One audit in progress: its runner, its options and the results so far."""

    def __init__(self, runner: Runner, request: Request) -> None:
        self._runner = runner
        self._request = request
        self._assignment = runner.assignment
        self._source = self._assignment.modules[self._assignment.solution]
        self._tests: list[PytestResult] = []  # the tests that pass on the solution
        self._checks: list[SuiteCheck] = []
        self._passes_in_any_order = True
        self._candidates = b""

    @property
    def _ids(self) -> frozenset[str]:
        return frozenset(test.id for test in self._tests)

    def run(self) -> Audit:
        began = time.monotonic()
        all_tests = self._run_solution()
        self._tests = [test for test in all_tests if test.outcome == "passed"]
        self._checks.append(suite_checks.check_solution(all_tests))
        if (starter := self._assignment.starter) is not None:
            outcome = self._runner.run(self._task("starter", starter, ids=self._ids))
            passed = tasks.find_tests(outcome, "passed")
            self._checks.append(suite_checks.check_starter(passed, [*self._ids]))
        self._run_in_other_orders()
        if any(isinstance(node, _CALLED) for node in ast.walk(ast.parse(self._source))):
            self._checks.append(suite_checks.check_calls(self._tests))
        coverage = LineCoverage(self._source, self._tests)
        self._run_with_wrong_results()
        self._make_candidates()
        # Functions that the starter already contains are not mutated.
        programs = [
            WrongProgram(mutant.change, mutant.source, mutant.diff, mutant.line, mutant.operator)
            for mutant in mutants(self._source, starter=self._assignment.starter or "")
        ]
        programs += self._try_misconceptions()
        survived, kills = self._run_programs(programs, coverage)
        if kills is not None:
            self._checks.append(suite_checks.check_redundancy(kills))
        self._checks.append(suite_checks.check_time(self._tests))
        groups, extra_tests = self._explain(survived, coverage)
        explained_lines = [
            survivor.line for name in ("survivors", "accepted") for survivor in groups[name]
        ]
        branches = {
            lines.start: name
            for lines, name in coverage.find_unentered_branches(self._tests).items()
            if not any(line in lines for line in explained_lines)
        }
        if branches:
            unentered = {lines.start for lines in coverage.find_unentered_branches(all_tests)}
            left_out = {line: name for line, name in branches.items() if line not in unentered}
            self._checks.append(suite_checks.check_branches(branches, left_out))
        return Audit(
            assignment=self._assignment,
            checks=tuple(
                replace(check, verdict="note")
                if check.sentence in self._request.accepted_changes
                else check
                for check in self._checks
            ),
            **{name: tuple(group) for name, group in groups.items()},
            killed=len(programs) - len(survived),
            seconds=time.monotonic() - began,
            misconceptions=sum(program.misconception is not None for program in programs),
            extra_tests=extra_tests,
        )

    def _task(
        self,
        name: str,
        source: str,
        limits: TaskLimits = _SOLUTION,
        answer: Recorder | WrongResults | None = None,
        **options: Any,
    ) -> Task:
        session = pytest_run.Session(tuple(self._assignment.tests), **options)
        return tasks.run_tests(name, source, session, limits, answer=answer)

    def _run_solution(self) -> list[PytestResult]:
        trace = self._assignment.solution
        task = self._task("solution", self._source, tasks.ORDINARY, trace=trace)
        outcome, name = self._runner.run(task), self._assignment.name
        for message in outcome.select("not loaded"):
            file = message["file"] or "a file"
            stub = _missing_module_hint(message["message"])
            raise UsageError(f"{name}: {file} does not load: {message['message']}{stub}")
        for message in outcome.select("broken"):
            raise UsageError(f"{name}: pytest does not run the tests: {message['message']}")
        tests = tasks.read_results(outcome)
        if outcome.ended:
            last = f"in {suite_checks.short_id(tests[-1].id)}" if tests else "before the first test"
            raise UsageError(f"{name}: the tests of the solution {outcome.ended}, {last}")
        if not tests:
            raise UsageError(f"{name}: pytest found no test")
        if not any(test.outcome == "passed" for test in tests):
            failed = [test for test in tests if test.outcome == "failed"]
            if not failed:
                raise UsageError(f"{name}: pytest skipped every test")
            if all(map(suite_checks.is_denied, failed)):
                raise UsageError(f"{name}: the tests need {suite_checks.DENIED}")
            first = next((test.message for test in tests if test.message), "nothing")
            raise UsageError(
                f"{name}: the solution passes none of {plural(len(tests), 'test')}; "
                f"the first says: {first}{_missing_module_hint(first)}"
            )
        return tests

    def _run_in_other_orders(self) -> None:
        options_by_kind: dict[str, dict[str, Any]] = {
            "in reversed order": {"order": "reversed"},
            "in another order": {"order": "shuffled"},
            "when each runs twice": {"times": 2},
        }
        runs = [
            self._task(run_kind, self._source, ids=self._ids, **options)
            for run_kind, options in options_by_kind.items()
        ]
        failures: dict[str, list[str]] = {}
        for task, outcome in self._runner.run_all(runs):
            failures[task.name] = [*dict.fromkeys(tasks.find_tests(outcome, "failed"))]
        run_kind = next((kind for kind in options_by_kind if failures[kind]), "")
        self._passes_in_any_order = not run_kind
        self._checks.append(suite_checks.check_order(failures.get(run_kind, []), run_kind))

    def _run_with_wrong_results(self) -> None:
        runs = [
            self._task(kind, self._source, tasks.ORDINARY, WrongResults(kind), ids=self._ids)
            for kind in WRONG
        ]
        passing_tests: dict[str, list[str]] = {}
        changed_tests: dict[str, list[str]] = {}
        for task, outcome in self._runner.run_all(runs):
            tests = tasks.read_results(outcome)
            ids = {test for message in outcome.select("changed") for test in message["ids"]}
            changed_tests[task.name] = [test.id for test in tests if test.id in ids]
            passed = tasks.find_tests(outcome, "passed")
            passing_tests[task.name] = [test for test in passed if test in ids]
        self._checks += [
            suite_checks.check_wrong_results(name, passing_tests, changed_tests)
            for name in ("accepts sevens", "tolerance")
        ]

    def _make_candidates(self) -> None:
        """Record the tests' calls, check them, and generate variations of them."""
        runs = [
            self._task(
                str(seed), self._source, tasks.ORDINARY, Recorder(), ids=self._ids, seed=seed
            )
            for seed in (0, 1)
        ]
        outcomes = {task.name: outcome for task, outcome in self._runner.run_all(runs)}
        # A test whose calls change with the seed draws inputs without a seed of its own.
        calls_of_tests, other_calls = (
            dict(*(message["tests"] for message in outcomes[seed].select("digests")[:1]))
            for seed in ("0", "1")
        )
        unseeded = [
            test.id
            for test in self._tests
            if calls_of_tests.get(test.id) != other_calls.get(test.id)
        ]
        self._checks.append(suite_checks.check_seeds(unseeded))
        for message in outcomes["0"].select("alike")[:1]:
            self._checks.append(suite_checks.check_inputs(message["facts"], self._source))
        if calls := tasks.decode_calls(outcomes["0"]):
            task = tasks.make_candidates(self._source, self._assignment.solution, calls)
            self._candidates = tasks.decode_calls(self._runner.run(task))

    def _try_misconceptions(self) -> Iterable[WrongProgram]:
        """Yield the solution with each misconception of exercises whose own solution passes."""
        functions = self._request.exercise_functions
        similar_exercises = self._request.similar_exercises
        if not self._candidates or not functions:
            return
        task = tasks.match_functions(
            self._source, self._assignment.solution, self._candidates, functions, similar_exercises
        )
        matches = [
            Match(message.pop("target"), functions[number], Correspondence(**message))
            for message in self._runner.run(task).select("match")
            if (number := message.pop("number")) in range(len(functions))
            and message["target"].isidentifier()
        ]
        # If several exercises share a mistake, prefer the one with the most mistakes for the
        # function.
        matches.sort(key=lambda match: -len(match.function.mistakes))
        programs = [[*make_misconception_programs(self._assignment, match)] for match in matches]
        # Skip an exercise whose right program the tests reject: its mistakes would show nothing.
        right = [
            self._task(
                str(number), str(program[0].right_adaptation), ids=self._ids, stop_at_failure=True
            )
            for number, program in enumerate(programs)
            if program
        ]
        outcomes = {int(task.name): outcome for task, outcome in self._runner.run_all(right)}
        yielded: set[tuple[str, str | None]] = set()
        tried_exercises: set[str] = set()
        for number in sorted(outcomes):
            if tasks.is_killed(outcomes[number]):
                continue
            tried_exercises.add(matches[number].function.exercise)
            for program in programs[number]:
                key = matches[number].target, program.misconception_id
                if key not in yielded:
                    yielded.add(key)
                    yield program
        untried = sorted(similar_exercises - tried_exercises)
        self._checks += map(suite_checks.untried_exercise, untried)

    def _run_programs(
        self, programs: Sequence[WrongProgram], coverage: LineCoverage
    ) -> tuple[list[WrongProgram], dict[str, frozenset[str]] | None]:
        """Return the survivors, and the killing tests' programs if every test was run."""
        cpu = sum(test.cpu for test in self._tests)
        seconds = sum(test.seconds for test in self._tests)
        run_all = cpu * len(programs) <= _ALL_TESTS_SECONDS
        limits = TaskLimits(
            cpu_seconds=math.ceil(_SLOWDOWN * cpu) + 2, wall_seconds=_SLOWDOWN * seconds + 20
        )
        killed: set[str] = set()
        kills: dict[str, set[str]] = {test.id: set() for test in self._tests}
        runs = [
            self._task(
                program.change,
                program.source,
                limits,
                ids=ids if self._passes_in_any_order else self._ids,
                stop_at_failure=not run_all,
            )
            for program in programs
            if (ids := coverage.find_tests_reaching(program))
        ]
        for task, outcome in self._run_with_progress(runs, "audited"):
            if tasks.is_killed(outcome):
                killed.add(task.name)
            for test in kills.keys() & tasks.find_tests(outcome, "failed"):
                kills[test].add(task.name)
        survived = [program for program in programs if program.change not in killed]
        all_kills = {test: frozenset(names) for test, names in kills.items()}
        return survived, all_kills if run_all else None

    def _run_with_progress(
        self, runs: Sequence[Task], done: str
    ) -> Iterator[tuple[Task, TaskOutcome]]:
        """Run tasks while showing progress."""
        if runs:
            with self._request.progress(len(runs), done) as advance:
                for task_and_outcome in self._runner.run_all(runs):
                    advance()
                    yield task_and_outcome

    def _explain(
        self, survived: Sequence[WrongProgram], coverage: LineCoverage
    ) -> tuple[dict[str, list[Survivor]], str]:
        """Return the survivors by group, and a module of tests that kill them."""
        file = self._assignment.solution
        attributes = ready_tests.find_attributes(self._assignment)
        style = ready_tests.detect_style(self._assignment)
        runs = [
            tasks.find_distinguishing_call(
                program, self._source, file, self._candidates, attributes, style
            )
            for program in survived
            if self._candidates
        ]
        calls: dict[str, Message] = {}  # the distinguishing call of each program
        for task, outcome in self._run_with_progress(runs, "explained"):
            for message in outcome.select("found")[:1]:
                calls[task.name] = message
        proven, extra_tests = self._prove(
            [
                program
                for program in survived
                if program.change in calls and not calls[program.change]["unread"]
            ],
            calls,
        )
        groups: dict[str, list[Survivor]] = {name: [] for name in GROUPS}
        for program in survived:
            change, call = program.change, calls.get(program.change)
            survivor = Survivor(
                change,
                program.diff,
                program.line,
                misconception=program.misconception,
                operator=program.operator,
            )
            if call is not None:
                shown = {name: call[name] for name in ("example", "expected", "got")}
                survivor = replace(survivor, **shown)
            if (test := proven.get(change)) is not None:
                survivor = replace(survivor, test=test.text, test_name=test.name)
            if call is None:
                group = "equivalent" if coverage.find_tests_reaching(program) else "untried"
            elif call["unread"]:
                group = "unread"
            else:
                is_accepted = change in self._request.accepted_changes
                group = "accepted" if is_accepted else "survivors"
            groups[group].append(survivor)
        return groups, extra_tests

    def _prove(
        self, programs: Sequence[WrongProgram], calls: Mapping[str, Message]
    ) -> tuple[dict[str, ReadyTest], str]:
        """Return the ready-made tests that pass on the solution and kill their program.

        Also return a module with a small set of them that kills all of these programs.
        """
        by_body: dict[tuple[str, ...], ReadyTest] = {}
        test_names: dict[str, str] = {}  # by the program's change
        counts: Counter[str] = Counter()
        for program in programs:
            call = calls[program.change]
            target, body = call["name"], tuple(call["body"])
            if not body:
                continue
            if body not in by_body:
                counts[target] += 1
                words = re.sub(r"[^a-z0-9]+", "_", target.lower()).strip("_")
                name = f"test_{words}_audit_{counts[target]}"
                by_body[body] = ready_tests.write_test(
                    self._assignment, name, target, body, program.change
                )
            test_names[program.change] = by_body[body].name
        tests = [*by_body.values()]
        if not tests:
            return {}, ""
        outcome = self._runner.run(self._run_extra("solution", self._source, tests))
        passed = {test.rpartition("::")[2] for test in tasks.find_tests(outcome, "passed")}
        tests = [test for test in tests if test.name in passed]
        kills: dict[str, set[str]] = {test.name: set() for test in tests}
        runs = [
            self._run_extra(program.change, program.source, tests)
            for program in programs
            if tests and program.change in test_names
        ]
        for task, outcome in self._run_with_progress(runs, "proved"):
            failed = {test.rpartition("::")[2] for test in tasks.find_tests(outcome, "failed")}
            for name in kills.keys() & failed:
                kills[name].add(task.name)
        by_name = {test.name: test for test in tests}
        proven = {
            change: by_name[name]
            for change, name in test_names.items()
            if change in kills.get(name, ())
        }
        holes = test_names.keys() - self._request.accepted_changes
        chosen = ready_tests.choose_covering_tests({name: kills[name] & holes for name in kills})
        extra = [test for test in tests if test.name in chosen]
        return proven, ready_tests.write_test_file(self._assignment, extra) if extra else ""

    def _run_extra(self, name: str, source: str, tests: Sequence[ReadyTest]) -> Task:
        session = pytest_run.Session((ready_tests.EXTRA_FILE,))
        text = ready_tests.write_test_file(self._assignment, tests)
        task = tasks.run_tests(name, source, session)
        return replace(task, extra={ready_tests.EXTRA_FILE: text})


def _missing_module_hint(message: str) -> str:
    """Return advice if a course package is missing, else ""."""
    missing = re.search(r"No module named '(\w+)", message)
    if missing is None:
        return ""
    return (
        f"; install it, or put a file '{missing[1]}.py' beside the solution that defines the names "
        "which are used of it, as functions that return their argument"
    )
