"""Proofs on a terminal: one table, and only what is wrong opened."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from grader.authoring.verify.proof import Counts, Proof, ProofFinding
from grader.authoring.verify.proof_formats import print_proofs, to_sarif

COUNTS = Counts(5, 2, 3, 3, 20, 17, 1)
GOOD = Proof("softmax", "", "proven", counts=COUNTS, seconds=1.25)
MUTANT = ProofFinding("mutants-killed", "a mutant survives", 31, "-    a\n+    b", column=5)
NOTE = ProofFinding("constants-rejected", "only a note; and advice", 9)
REACH = ProofFinding("mutants-killed", "never float32", 9)
BAD = Proof("scores", "", "not proven", (MUTANT,), (NOTE,), counts=COUNTS, cached=True)


def print_to_text(*proofs: Proof, is_terminal: bool = True, verbose: bool = False) -> str:
    console = Console(file=io.StringIO(), force_terminal=is_terminal, width=100, color_system=None)
    by_path = {Path(f"{proof.exercise}.yaml"): proof for proof in proofs}
    print_proofs(console, by_path, verbose=verbose)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_terminal_gets_a_table() -> None:
    """A row for each exercise, with what was tried and how long it took."""
    header, good, bad, *_ = print_to_text(GOOD, BAD).splitlines()
    assert header.split() == ["exercise", "checks", "tests", "misconceptions", "mutants", "time"]
    assert good.split() == [
        "\u2713",
        "softmax",
        "17/17",
        "5",
        "(2",
        "hidden)",
        "3/3",
        "17",
        "+",
        "1/20",
        "1.2",
        "s",
    ]
    assert bad.split()[:3] == ["\u2717", "scores", "16/17"]
    assert bad.split()[-1] == "known"


def test_a_finding_is_a_place_and_a_diff() -> None:
    """The line begins with what editors and terminals make a link of."""
    lines = print_to_text(BAD, is_terminal=False).splitlines()
    assert lines[1] == "scores.yaml:31:5: mutants-killed: a mutant survives"
    assert lines[2:4] == ["    -    a", "    +    b"]


def test_notes_are_short_in_a_collection() -> None:
    """A line each without advice; what no input reaches is counted, and all are there when one asks."""
    bad = replace(BAD, notes=(NOTE, REACH))
    whole = "scores.yaml:9:1: note: constants-rejected: only a note; and advice\n"
    assert whole in print_to_text(bad, is_terminal=False)
    lines = print_to_text(GOOD, bad, is_terminal=False).splitlines()
    assert whole.partition(";")[0] in lines
    assert "1 note more: --verbose shows all." in lines
    assert not any("float32" in line for line in lines)
    assert whole in print_to_text(GOOD, bad, is_terminal=False, verbose=True)


def test_notes_take_at_most_three_lines() -> None:
    """All of them are there when one asks."""
    many = replace(GOOD, notes=(NOTE,) * 7)
    lines = print_to_text(many, is_terminal=False).splitlines()
    assert [("note" in line) for line in lines] == [False, True, True, True, False]
    assert lines[3] == "5 notes more: --verbose shows all."
    assert print_to_text(many, is_terminal=False, verbose=True).count("only a note") == 7


def test_what_the_inputs_reach_is_one_line() -> None:
    """For one exercise alone, or when one asks: authors compare it with what the text promises."""
    reach = {
        "smallest": 0.00123, "largest": 45.0, "dtypes": ["float64", "int64"], "zero": True,
        "negative": True, "infinite": False, "nan": False, "empty": False, "axis of length 1": True,
    }  # fmt: skip
    proof = replace(GOOD, reach=reach)
    line = (
        "softmax: inputs of size 0.00123 to 45; float64, int64; also zero, negative, "
        "axis of length 1; never infinite, nan, empty"
    )
    assert line in print_to_text(proof, is_terminal=False).splitlines()
    assert line not in print_to_text(proof, GOOD, is_terminal=False).splitlines()
    assert line in print_to_text(proof, BAD, is_terminal=False, verbose=True).splitlines()


def test_what_has_no_proof_has_no_numbers() -> None:
    """An invalid definition is named as what it is."""
    problem = ProofFinding("definition", "xp: expected an integer, found 'x'", 3)
    invalid = Proof("broken", "", "invalid", (problem,))
    lines = print_to_text(invalid, is_terminal=False).splitlines()
    assert lines[0] == "! broken invalid"
    assert lines[1] == "broken.yaml:3:1: definition: xp: expected an integer, found 'x'"
    assert lines[-1] == "0 of 1 exercise proven."


@pytest.mark.parametrize(
    ("finding", "until"),
    [
        (ProofFinding("solution-passes", "it fails", 3), "the solution passes"),
        (ProofFinding("has-hidden-test", "none is", 3), "a test is hidden"),
    ],
)
def test_what_was_not_tried_is_named_and_has_no_numbers(finding: ProofFinding, until: str) -> None:
    """No mutant of a solution that fails is killed, and none survives."""
    skipped = ("misconceptions-rejected", "mutants-killed")
    proof = Proof("x", "", "not proven", (finding,), skipped=skipped, counts=Counts(5, 2, 3))
    lines = print_to_text(proof, is_terminal=False).splitlines()
    assert lines[0] == "\u2717 x  14/17 checks,  5 (2 hidden) tests, 0.0 s"
    assert lines[2] == f"x.yaml: not tried until {until}: {', '.join(skipped)}"
    assert "0/" not in print_to_text(proof).replace("0 of", "")


def test_sarif_puts_findings_and_notes_at_their_lines() -> None:
    """A path in the repository, a rule for each check, and an error only for what stands in the way."""
    (run,) = to_sarif({Path("exercises/scores.yaml"): BAD}, Path.cwd())["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found = [
        (rules[each["ruleIndex"]], each["level"], each["locations"][0]["physicalLocation"])
        for each in run["results"]
    ]
    file = {"uri": "exercises/scores.yaml"}
    assert found == [
        (
            "mutants-killed",
            "error",
            {"artifactLocation": file, "region": {"startLine": 31, "startColumn": 5}},
        ),
        (
            "constants-rejected",
            "note",
            {"artifactLocation": file, "region": {"startLine": 9, "startColumn": 1}},
        ),
    ]
