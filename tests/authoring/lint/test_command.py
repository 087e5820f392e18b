"""`etude lint` as its users run it: output, formats, exit status."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.lint.catalogue import CATALOGUE
from tests.authoring.golden_cases import LINT

ROOT = Path(__file__).parents[3]
LEVELS = {"error", "warning", "note"}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("case", "status"),
    [("clean", 0), ("missing-schema-line", 0), ("few-hints", 1), ("no-hidden-test", 1)],
)
def test_the_status_says_whether_there_are_errors_or_warnings(
    run: Run, tmp_path: Path, case: str, status: int
) -> None:
    """Notes do not count."""
    assert run(LINT.write(case, tmp_path)).returncode == status


def test_text_has_a_line_for_each_finding_and_a_summary(run: Run, tmp_path: Path) -> None:
    """The words are those of the golden file, with the path as it was given."""
    LINT.write("few-hints", tmp_path)
    finished = run("few-hints.yaml")
    assert (finished.stdout, finished.stderr) == ((LINT.folder / "few-hints.txt").read_text(), "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], ["ETU307", "ETU307"]),
        (["--select", "ETU307"], ["ETU307", "ETU307"]),
        (["--select", "ETU1,etu2"], []),
        (["--select", "ETU3", "--ignore", "unused-input"], []),
        (["--ignore", "ETU3"], []),
        (["--ignore", "ETU000"], ["ETU307", "ETU307"]),
    ],
)
def test_rules_are_chosen_by_code_beginning_or_name(
    run: Run, tmp_path: Path, words: list[str], told: list[str]
) -> None:
    """Selected ones run, of these the ignored ones do not."""
    finished = run(LINT.write("unused-input", tmp_path), "--format", "json", *words)
    assert [finding["code"] for finding in json.loads(finished.stdout)["findings"]] == told
    assert finished.returncode == bool(told)


def test_what_does_not_load_is_always_told(run: Run, tmp_path: Path) -> None:
    """Its rule cannot be ignored, since the other rules could not run."""
    finished = run(LINT.write("invalid-definition", tmp_path), "--ignore", "ETU")
    assert finished.returncode == 1
    assert finished.stdout.count("ETU000") == 2


def test_an_ignored_rule_makes_no_comment_useless(run: Run, tmp_path: Path) -> None:
    """A comment for a rule that did not run may be needed when it does."""
    assert run(LINT.write("unused-ignore", tmp_path), "--ignore", "ETU309").returncode == 0


def test_json_has_the_documented_fields(run: Run, tmp_path: Path) -> None:
    """One object, with findings and their sums."""
    log = json.loads(run(LINT.write("trailing-white-space", tmp_path), "--format", "json").stdout)
    assert log["version"] == 1
    assert log["summary"] == {"files": 1, "errors": 0, "warnings": 2, "notes": 0, "silenced": 0}
    first, _ = log["findings"]
    assert first.pop("path").endswith("trailing-white-space.yaml")
    assert first == {
        "code": "ETU003",
        "name": "trailing-white-space",
        "level": "warning",
        "message": "white space at the end of the line",
        "line": 3,
        "column": 21,
        "fixable": True,
    }


def test_sarif_has_all_rules_and_relative_places(run: Run, tmp_path: Path) -> None:
    """With the level and the help of each rule, also of those that find nothing."""
    (tmp_path / "a b").mkdir()
    LINT.write("unused-input", tmp_path / "a b")
    finished = run("a b/unused-input.yaml", "--format", "sarif", "--output", "log.sarif")
    assert (finished.returncode, finished.stdout) == (1, "")
    (only,) = json.loads((tmp_path / "log.sarif").read_text("utf-8"))["runs"]
    rules = only["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CATALOGUE)
    for rule in rules:
        assert rule["defaultConfiguration"]["level"] in LEVELS
        assert rule["shortDescription"]["text"]
        assert rule["help"]["markdown"].startswith(f"# {rule['id']} ")
    assert {result["ruleId"] for result in only["results"]} == {"ETU307"}
    places = [result["locations"][0]["physicalLocation"] for result in only["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == 2 * ["a%20b/unused-input.yaml"]


def test_sarif_of_a_clean_file_says_that_nothing_was_found(run: Run, tmp_path: Path) -> None:
    """A code host needs the empty list to close what it showed before."""
    log = json.loads(run(LINT.write("clean", tmp_path), "--format", "sarif").stdout)
    assert log["runs"][0]["results"] == []


@pytest.mark.parametrize("word", ["ETU308", "etu308", "saturated-softmax"])
def test_explain_tells_about_a_rule(run: Run, word: str) -> None:
    """Summary, reasons, and two examples."""
    finished = run("--explain", word)
    assert finished.returncode == 0
    assert finished.stdout.startswith("# ETU308 saturated-softmax\n")
    assert CATALOGUE["ETU308"].explanation in finished.stdout
    assert finished.stdout.count("```yaml") == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--explain", "saturated-sofmax"], "no rule 'saturated-sofmax'; did you mean 'saturated-softmax'?"),
        (["--select", "X1"], "no rule 'X1'"),
        (["nothing.yaml"], "no file or folder 'nothing.yaml'"),
        (["--exercises", "nowhere"], "there is no folder nowhere with exercises"),
    ],
)  # fmt: skip
def test_what_cannot_begin_has_status_2(run: Run, words: list[str], sentence: str) -> None:
    """With a sentence on stderr, and nothing on stdout."""
    finished = run(*words)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert sentence in finished.stderr


def test_fix_repairs_and_tells_the_rest(run: Run, tmp_path: Path) -> None:
    """The report is about the file as it is now; a second run repairs nothing."""
    path = LINT.write("trailing-white-space", tmp_path)
    finished = run(path.name, "--fix")
    assert finished.stderr == "1 of 2 findings repaired.\n"
    assert finished.stdout.startswith("trailing-white-space.yaml:21:57: ETU003 warning: ")
    after = path.read_bytes()
    assert run(path.name, "--fix").stderr == "0 of 1 findings repaired.\n"
    assert path.read_bytes() == after


def test_a_collection_is_looked_at_as_a_whole(run: Run, tmp_path: Path) -> None:
    """Without a name: every track; what only shows across tracks, too; each problem once."""
    (tmp_path / "all").mkdir()
    for name in ("implied-prerequisite", "unused-prerequisite"):
        LINT.write(name, tmp_path / "all")
    path = tmp_path / "all" / "implied-prerequisite" / "01-dots.yaml"
    path.write_text(path.read_text().replace("xp: 10", "xp: 10\nrequires: [nowhere]"))
    lines = run("--exercises", "all").stdout.splitlines()
    assert (
        "all/implied-prerequisite/01-dots.yaml:6:12: ETU000 error: requires: no exercise 'nowhere'"
        in lines
    )
    assert sum("ETU000" in line for line in lines) == 2  # and an id that is in both tracks
    assert all(any(code in line for line in lines) for code in ("ETU104", "ETU105"))


def test_the_description_of_the_rules_is_current(run: Run) -> None:
    """`docs/reference/lint-rules.md` is what `etude lint --rules-markdown` prints."""
    document = ROOT / "docs" / "reference" / "lint-rules.md"
    assert run("--rules-markdown").stdout == document.read_text("utf-8")


def test_nothing_is_executed_and_no_sandbox_is_imported(clean: str, tmp_path: Path) -> None:
    """A definition's Python is only parsed; grading and sandbox are not even loaded."""
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')"
    text = clean.replace("      n, m, d_k", f"      {trap}\n      n, m, d_k")
    text = text.replace("import numpy as np", f"import numpy as np\n  {trap}")
    (tmp_path / "x.yaml").write_text(text, "utf-8")
    program = (
        "import sys; from pathlib import Path; from grader.authoring.lint.lint_report import lint; "
        "from grader.authoring.targets import TargetGroup; lint([TargetGroup((Path('x.yaml'),))]); "
        "print(sorted(m for m in sys.modules if m.startswith(('grader.', 'reference'))))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert not (tmp_path / "ran").exists()
    loaded = finished.stdout.replace(
        "'grader.sandbox', 'grader.sandbox.limits'", ""
    )  # numbers alone
    for word in ("grading", "sandbox", "mutation", "reports", "reference", "verify"):
        assert word not in loaded
