"""SARIF, for every command that has findings."""

from pathlib import Path

from grader.authoring.sarif import SarifResult, make_log, make_uri

RULES = {"one": {"shortDescription": {"text": "One."}}, "two": {}}
FINDING = SarifResult("two", "error", "It is wrong.", "a/x.yaml", 3, 7)


def test_a_log_has_what_code_hosts_need() -> None:
    """Version, driver, and results at places, each with the index of its rule."""
    log = make_log(
        "etude lint", RULES, [FINDING, SarifResult("one", "note", "So.", "b", 0)], "f/v1"
    )
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["rules"] == [{"id": "one", **RULES["one"]}, {"id": "two"}]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("two", 1, "error")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a/x.yaml"}
    assert place["region"] == {"startLine": 3, "startColumn": 7}
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_a_fingerprint_outlives_a_move_and_is_of_one_finding() -> None:
    """The same finding on another line has the same one; a second of the same words has its own."""

    def prints(*findings: SarifResult) -> list[str]:
        (run,) = make_log("etude lint", RULES, findings, "f/v1")["runs"]
        return [each["partialFingerprints"]["f/v1"] for each in run["results"]]

    moved = SarifResult("two", "error", "It is wrong.", "a/x.yaml", 9, 1)
    assert prints(FINDING) == prints(moved)
    assert len(set(prints(FINDING, moved))) == 2


def test_a_path_is_relative_to_the_repository(tmp_path: Path) -> None:
    """With what a URI has to escape; a file elsewhere has its whole path."""
    assert make_uri(tmp_path, tmp_path / "a b" / "x.yaml") == "a%20b/x.yaml"
    assert (
        make_uri(tmp_path / "one", tmp_path / "one" / ".." / "two") == (tmp_path / "two").as_uri()
    )
    (tmp_path / "a b" / ".git").mkdir(parents=True)
    assert make_uri(tmp_path, tmp_path / "a b" / "c" / ".." / "x.yaml") == "x.yaml"
