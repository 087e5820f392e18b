"""Proofs of exercises of every kind, in the real sandbox."""

import functools
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from grader.authoring.new_exercise import write_course
from grader.authoring.verify.proof import Proof
from grader.authoring.verify.prove import prove
from grader.authoring.verify.steps import ProofFacts, run_steps
from grader.definitions.collection import load_exercise_file
from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.expected.inputs import draw_inputs
from grader.grading.jobs import Job
from grader.grading.results.verdict import Diagnosis
from grader.grading.session.engine import Engine
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.process import Sandbox, open_sandbox

Prove: TypeAlias = Callable[[str], Proof]

HEAD = "title: T\ndifficulty: beginner\nxp: 1\ninstructions: Do it.\nexplanation: None.\n"
LOOP = """\
id: halvings
defines: {halvings: {}}
starter: |
  def halvings(x):
      ...
tests:
  - id: counted
    hidden: true
    seeds: 5
    given: |
      x = int(rng.integers(2, 1000))
    call: halvings(x)
    expect: {expression: "x.bit_length() - 1"}
solution: |
  def halvings(x):
      count = 0
      while x > 1:
          x = x // 2
          count += 1
      return count
"""
SUITE = """\
id: test-double
kind: test
defines: {double: {}}
starter: |
  from program import double
program: |
  def double(x):
      return 2 * x
tests:
  - {id: right, suite: accepts}
  - {id: wrong, suite: rejects, at_least: 0.5}
misconceptions:
  - {id: square, code: "def double(x):\n    return x * x", feedback: Take 3.}
  - {id: large, code: "def double(x):\n    return 2 * min(x, 10)", feedback: Take 11.}
solution: |
  from program import double

  def test_doubles():
      assert double(3) == 6
      assert double(11) == 22
"""
CLASS = """\
id: counter
defines: {Counter: {kind: class}}
starter: |
  class Counter:
      def __init__(self, start):
          ...

      def add(self, amount):
          ...
tests:
  - {id: shown, call: Counter(1).add(2), expect: 3}
  - {id: again, hidden: true, given: {a: 4, b: 9}, call: Counter(a).add(b), expect: 13}
solution: |
  class Counter:
      def __init__(self, start):
          self.total = start

      def add(self, amount):
          self.total += amount
          return self.total
"""
PREDICT = """\
id: predict-shape
kind: predict
defines: {shape: {kind: value}, axis: {kind: value, choices: [rows, columns]}}
starter: |
  shape = ...
  axis = ...
tests:
  - {id: shape, hidden: true, call: shape, expect: [2, 5]}
  - {id: axis, hidden: true, call: axis, expect: rows}
solution: |
  shape = (2, 5)
  axis = "rows"
"""
FORBID = """\
id: no-loops
defines: {total: {}}
forbid: {loops: true}
starter: |
  def total(x):
      ...
tests:
  - id: drawn
    hidden: true
    seeds: 3
    given: |
      x = rng.standard_normal((3, 5))
    call: total(x)
    expect: {expression: x.sum()}
misconceptions:
  - id: adds-in-a-loop
    code: |
      def total(x):
          result = 0.0
          for row in x:
              result = result + row.sum()
          return result
    feedback: NumPy adds everything up in one call.
solution: |
  def total(x):
      return x.sum()
"""
CUBE = "def double(x):\n    return x**3\n"
MISCONCEPTION = """\
misconceptions:
  - id: cubes
    code: |
      def double(x):
          return x**3
    feedback: That is the cube.
"""
FIX = """\
id: fix
kind: fix
defines: {double: {}}
starter: |
  def double(x):
      return x * x
tests:
  - id: drawn
    hidden: true
    seeds: 3
    given: |
      x = rng.standard_normal(3)
    call: double(x)
    expect: solution
solution: |
  def double(x):
      return 2.0 * x
"""


BUDGET = """\
id: mean
defines: {mean: {}}
starter: |
  def mean(x):
      ...
tests:
  - id: drawn
    hidden: true
    given: |
      x = rng.standard_normal(4000)
    call: mean(x)
    expect: solution
    budget: {memory: 2}
misconceptions:
  - id: copies
    code: |
      def mean(x):
          return (x + [[0.0]] * 50).mean()
    feedback: You add up another number.
solution: |
  def mean(x):
      return x.mean()
"""


FILES = """\
id: total
defines: {total: {}}
hidden_files: [numbers.csv]
starter: |
  def total(name):
      ...
tests:
  - {id: read, hidden: true, call: total("numbers.csv"), expect: 3.0}
solution: |
  import numpy as np


  def total(name):
      return float(np.loadtxt(name, delimiter=",").sum())
also_right:
  - |
    def total(name):
        return sum(float(cell) for cell in open(name).read().split(","))
"""


@pytest.fixture
def proven(tmp_path: Path) -> Prove:
    """Prove one exercise, given as text without what all have."""

    def run(text: str) -> Proof:
        path = tmp_path / "exercise.yaml"
        path.write_text(HEAD + text)
        with WorkerPool(1, functools.partial(open_sandbox, keep_spare_child=True)) as pool:
            ((_, proof),) = prove([load_exercise_file(path)], pool)
        return proof

    return run


@pytest.mark.parametrize(
    "text", [CLASS, PREDICT, FORBID, FIX, SUITE], ids=lambda text: text.split()[1]
)
def test_a_sound_exercise_of_each_kind_is_proven(proven: Prove, text: str) -> None:
    """Nothing that does not apply to it stands in its way."""
    proof = proven(text)
    assert proof.findings == ()
    assert (proof.status, proof.skipped) == ("proven", ())


@pytest.mark.parametrize(
    ("there", "instead", "check", "message"),
    [
        ("double(11) == 22", "double(0) == 0", "misconceptions-rejected",
         "the solution accepts misconception 'large'; add a test that it fails"),
        ("assert double(3) == 6\n      assert double(11) == 22", "double(3)",
         "solution-passes", "the solution fails test 'wrong'"),
        ("solution: |", "equivalent: [{change: x, reason: none}]\nsolution: |",
         "equivalents-true", "equivalent: the program has no mutant 'x'; take the entry out"),
    ],
)  # fmt: skip
def test_the_solution_of_a_suite_rejects_every_wrong_program(
    proven: Prove, there: str, instead: str, check: str, message: str
) -> None:
    """Each that it accepts is named, also where fewer are enough for learners."""
    assert SUITE.count(there) == 1
    proof = proven(SUITE.replace(there, instead))
    assert {each.check for each in proof.findings} >= {check}
    assert message in " ".join(each.message for each in proof.findings)


@pytest.mark.slow
def test_another_right_program_reads_the_hidden_files(proven: Prove, tmp_path: Path) -> None:
    """They are there although its failures may be explained."""
    (tmp_path / "numbers.csv").write_text("1,2\n")
    assert "also-right-pass" not in {each.check for each in proven(FILES).findings}


@pytest.mark.slow
def test_a_helper_of_the_starter_is_mutated_too(proven: Prove) -> None:
    """A learner may write it again: what no hidden test notices in it is told."""
    helper = "  def third(x):\n      return x / 3.0\n"
    text = FIX.replace("kind: fix\n", "").replace("return x * x", "...")
    text = text.replace("starter: |\n", f"starter: |\n{helper}")
    unused = text.replace("solution: |\n", f"solution: |\n{helper}").replace(
        "2.0 * x", "2.0 * x if x.size else third(x)"
    )
    found = [each for each in proven(unused).findings if "third" in each.message]
    assert {each.check for each in found} == {"mutants-killed"}
    assert "of a helper that the starter supplies" in found[0].message
    used = unused.replace("2.0 * x if x.size else third(x)", "6.0 * third(x)")
    assert proven(used).findings == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        ("rng.standard_normal(3)", True),
        ("np.float32([1, 2])", False),
        ("rng.standard_normal((3, 3))", True),
    ],
)
def test_a_case_that_no_hidden_test_meets_is_noted(
    proven: Prove, given: str, *, accepted: bool
) -> None:
    """It stands in the way of nothing: whether it is promised, only the author knows."""
    proof = proven(FIX.replace("rng.standard_normal(3)", given).replace("    seeds: 3\n", ""))
    assert proof.status == "proven"
    (note,) = [each for each in proof.notes if "wrong only in one of these cases" in each.message]
    assert ("float32;" in note.message) == accepted
    assert ("every matrix of the hidden tests is square" in str(proof.notes)) == ("3, 3" in given)


@pytest.mark.slow
def test_a_misconception_that_only_a_budget_tells_is_noted(proven: Prove) -> None:
    """Its sentence may claim more than memory shows."""
    notes = [note for note in proven(BUDGET).notes if note.check == "misconceptions-diagnosed"]
    assert [note.message[:51] for note in notes] == [
        "only a budget tells misconception 'copies' from the"
    ]
    same = BUDGET.replace("50).mean()", "50).mean() + 1")
    assert "only a budget" not in str(proven(same).notes)


def test_feedback_that_fails_on_a_misconception_is_no_proof(
    proven: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cause is named at the misconception, though its verdict stands."""

    def fail(*_: object, **__: object) -> None:
        raise IndexError("pop from empty list")

    monkeypatch.setattr(Diagnostician, "diagnose", fail)
    proof = proven(FIX + MISCONCEPTION.format(code="return 3.0 * x"))
    assert proof.status == "not proven"
    (failed,) = [each for each in proof.findings if "a part of the feedback" in each.message]
    assert failed.check == "misconceptions-diagnosed"
    assert "failed: diagnosis: IndexError in test_prove.py, line" in failed.message


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("one-off", "diagnosed as 'one-off', a mistake that Etude knows by itself in any exercise"),
        ("squares", "diagnosed as 'squares'; add a test that tells them apart"),
    ],
)
def test_what_a_misconception_is_taken_for_may_be_no_name_of_the_author(
    proven: Prove, monkeypatch: pytest.MonkeyPatch, known: str, said: str
) -> None:
    """The advice differs: no author can make a mistake that Etude knows one with their own."""
    taken = Diagnosis("repair", known, "", None, ())
    monkeypatch.setattr(Diagnostician, "diagnose", lambda *_, **__: taken)
    other = "  - {id: squares, code: 'def double(x): return x * x * 1.5', feedback: No.}\n"
    proof = proven(FIX + MISCONCEPTION + other)
    assert said in next(each.message for each in proof.findings if "'cubes'" in each.message)


def test_a_reference_that_depends_on_chance_is_blamed_itself(
    tmp_path: Path,
) -> None:
    """Not the solution, whose numbers differ from it at times."""
    *_, path = write_course("chance", tmp_path)
    module = tmp_path / "chance" / "chance_reference" / "rows.py"
    module.write_text(
        module.read_text().replace("return counts", "return np.random.random() * counts")
    )
    with WorkerPool(1, functools.partial(open_sandbox, keep_spare_child=True)) as pool:
        ((_, proof),) = prove([load_exercise_file(path)], pool)
    (finding,) = [each for each in proof.findings if "any-shape" in each.message]
    assert finding.check == "results-repeat"
    assert "the reference gives another value when it is asked again" in finding.message
    assert not proof.has_failed("solution-passes")


@pytest.mark.slow
def test_a_solution_without_an_end_is_refused_at_once(proven: Prove) -> None:
    """Its other tests and other programs do not run into the same loop."""
    looping = FIX.replace("return 2.0 * x", "while True:\n          pass")
    looping = looping.replace("expect: solution", "expect: {expression: 2.0 * x}")
    first = "limits: {cpu_seconds: 1}\ntests:\n  - {id: two, call: double(1.0), expect: 2.0}"
    proof = proven(looping.replace("tests:", first))
    timed_out, not_run = proof.findings
    assert {timed_out.check, not_run.check} == {"solution-passes"}
    assert "Stopped after 1 s" in timed_out.message
    assert "Not run" in not_run.message
    assert "tests-can-fail" in proof.skipped


def test_what_asks_for_a_right_solution_is_not_tried_of_a_wrong_one(proven: Prove) -> None:
    """That results repeat and submissions are independent is not told of it."""
    proof = proven(CLASS.replace("+= amount", "-= amount"))
    assert proof.status == "not proven"
    assert {"results-repeat", "submissions-independent"} <= set(proof.skipped)


@pytest.mark.slow
def test_a_mutant_in_a_loop_without_an_end_is_killed(proven: Prove) -> None:
    """Its time is short, and running out of it counts."""
    proof = proven(LOOP)
    assert proof.counts.mutants == proof.counts.killed > 0


def test_the_starter_of_a_prediction_need_not_be_answered(proven: Prove) -> None:
    """A prediction's starter should be refused, and it is."""
    proof = proven(PREDICT.replace("  shape = ...\n  axis = ...\n", "  # shape = ...\n"))
    assert proof.findings == ()


@pytest.mark.parametrize("answer", ["...", "None"])
def test_a_starter_may_have_a_value_to_fill_in(proven: Prove, answer: str) -> None:
    """It does not load until the value is there, and learners are told so."""
    text = PREDICT.replace("kind: predict\n", "kind: write\n")
    open_answer = text.replace("  shape = ...\n", f"  shape = {answer}\n")
    assert not proven(open_answer).has_failed("starter-fails")
    assert proven(text.replace("  shape = ...\n", "")).has_failed("starter-fails")


def test_a_definition_that_cannot_be_run_is_invalid(proven: Prove) -> None:
    """That is not a failed check: its inputs cannot be made."""
    proof = proven(FIX.replace("x = rng", "x = [][1] * rng"))
    assert proof.status == "invalid"
    (finding,) = proof.findings
    assert "IndexError" in finding.message


@pytest.mark.slow
def test_a_wrong_program_that_is_right_can_be_allowed(proven: Prove) -> None:
    """Zeros are the right answer of a function that returns zeros."""
    text = FIX.replace("2.0 * x", "0.0 * x").replace("expect: solution", "expect: [0.0, 0.0, 0.0]")
    assert proven(text).has_failed("constants-rejected")
    listed = (
        'equivalent: [{change: "wrong program: zeros", reason: Zeros are what is asked for.}]\n'
    )
    assert not proven(text + listed).has_failed("constants-rejected")
    assert not proven(text + listed).has_failed("equivalents-true")


@pytest.mark.slow
def test_a_misconception_that_is_forbidden_counts_as_rejected(proven: Prove) -> None:
    """A misconception that does not even run does not count."""
    assert proven(FORBID).counts.rejected == 1
    (finding,) = proven(
        FORBID.replace(
            "  def total(x):\n          result",
            "  import numby\n\n\n      def total(x):\n          result",
        )
    ).findings
    assert finding.check == "misconceptions-rejected"
    assert "`numby`" in finding.message


@pytest.mark.slow
def test_a_misconception_may_raise_what_learners_mean_to_run(proven: Prove) -> None:
    """An operation that fails is a mistake people make; a name that is missing is the author's."""
    raising = MISCONCEPTION.replace("x**3", "x @ x[:-1]").replace("cubes", "multiplies")
    proof = proven(FIX + raising)
    assert (proof.counts.rejected, proof.has_failed("misconceptions-rejected")) == (1, False)
    proof = proven(FIX + raising.replace("x @ x[:-1]", "y**3"))
    assert (proof.counts.rejected, proof.has_failed("misconceptions-rejected")) == (0, True)


@pytest.mark.slow
def test_a_mask_may_be_what_a_constant_passes(proven: Prove) -> None:
    """Truth values and zeros that are right are noted; numbers by tolerance alone stand in the way."""
    text = FIX.replace("expect: solution", "expect: solution\n    tolerance: {atol: 99.0}")
    assert proven(text).has_failed("constants-rejected")
    more = "  - {id: sign, given: {x: [1.0, 2.0]}, call: double(x) > -1, expect: [true, true]}\n"
    proof = proven(FIX.replace("solution: |", more + "solution: |"))
    assert not proof.has_failed("constants-rejected")
    assert [note.check for note in proof.notes] == ["constants-rejected", "mutants-killed"]


def with_body(given: str, body: str) -> str:
    """The exercise to fix, with a visible test more."""
    lines = "".join(f"      {line}\n" for line in given.splitlines())
    test = f"  - id: keeps\n    given: |\n{lines}    pytest: assert {body}\n"
    return FIX.replace("solution: |", f"{test}solution: |")


IN_A_MODULE = """\
import fractions
def kept(right):
    fractions.results = [*getattr(fractions, "results", []), right]
    return fractions.results
"""
IN_A_LIST = """\
results = []
def kept(right):
    results.append(right)
    return results
"""
FOR_LATER = "the test keeps something outside its inputs, as in a module, for later submissions"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "any(kept(double(1.0) == 2.0))",
            "test 'keeps' judges a submission that always answers with sevens, in the right shape "
            f"and dtype differently once the solution was graded: {FOR_LATER}",
        ),
        (
            "double(1.0) == 2.0 and len(kept(True)) < 2",
            f"the solution passes test 'keeps', but fails it when it is graded again: {FOR_LATER}",
        ),
    ],
)
def test_what_a_test_keeps_in_a_module_is_found(proven: Prove, body: str, message: str) -> None:
    """A wrong program passes after the solution, or the solution only the first time."""
    proof = proven(with_body(IN_A_MODULE, body))
    found = [each.message for each in proof.findings if each.check == "submissions-independent"]
    assert found == [message]


@pytest.mark.slow
def test_what_a_test_keeps_in_its_inputs_is_no_harm(proven: Prove) -> None:
    """The list that a function of `given` adds to is a new one for each submission."""
    assert proven(with_body(IN_A_LIST, "any(kept(double(1.0) == 2.0))")).status == "proven"


@pytest.mark.slow
def test_large_inputs_are_drawn_again_without_computing_on_them(proven: Prove) -> None:
    """An array that repeats one number need not fit into memory."""
    given = "large = np.broadcast_to(np.float16(0.5), (100_000, 100_000))"
    assert (
        proven(with_body(given, "double(large[0, :1]).shape == large[:1, 0].shape")).findings == ()
    )


Inquire: TypeAlias = Callable[[str], list[Job]]


@pytest.fixture
def inquired(tmp_path: Path, sandbox: Sandbox) -> Inquire:
    """Run all that is asked about one exercise in one session, and return the jobs."""

    def run(text: str) -> list[Job]:
        path = tmp_path / "exercise.yaml"
        path.write_text(HEAD + text)
        asked: list[Job] = []
        facts = ProofFacts(load_exercise_file(path))
        engine = Engine(sandbox)
        for each in chain.from_iterable(run_steps(facts)):
            asked.append(each.job)
            facts.verdicts[each.group][each.name] = engine.grade(each.job)
        return asked

    return run


def test_only_misconceptions_are_diagnosed(inquired: Inquire) -> None:
    """All other runs need only the verdict."""
    asked = inquired(FIX + MISCONCEPTION)
    assert len(asked) > 10
    assert [job.submission.source for job in asked if job.options.with_feedback] == [CUBE]


def test_inputs_are_drawn_once_for_all_forms(
    inquired: Inquire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once as they are, once in another order, to see that it is the same, once with other seeds."""
    drawn: list[int] = []

    def counted(*arguments: Any) -> Any:
        drawn.append(arguments[2])
        return draw_inputs(*arguments)

    monkeypatch.setattr("grader.grading.expected.oracle.draw_inputs", counted)
    others = "forbid: {loops: true}\nsmall_examples: false\n"  # which draw for themselves
    forms = {job.exercise.digest for job in inquired(FIX + MISCONCEPTION + others)}
    assert len(forms) > 5
    assert len(drawn) == 3 * 3
