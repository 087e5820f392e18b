"""Repairs: what is done, what is left, and that nothing changes its meaning."""

import dataclasses
from pathlib import Path

import pytest

from grader.authoring.lint.fix import fix
from grader.authoring.lint.lint_report import lint
from grader.authoring.targets import TargetGroup
from grader.definitions.collection import load_exercise_file

PATH = Path("x.yaml")


def repair(text: str) -> tuple[list[str], str]:
    """Repair a file; return the codes of what is gone, and the text."""
    PATH.write_bytes(text.encode())
    finished = fix(lint([TargetGroup((PATH,))]).findings)
    return [finding.rule.code for finding in finished], PATH.read_bytes().decode()


def remaining_codes() -> list[str]:
    return [finding.rule.code for finding in lint([TargetGroup((PATH,))]).findings]


def without_schema(text: str) -> str:
    return text.split("\n", 1)[1]


@pytest.mark.usefixtures("workdir")
def test_white_space_and_the_last_newline_are_repaired(clean: str) -> None:
    """All at once, and a second time there is nothing left to do."""
    spoiled = (
        clean.replace("xp: 10", "xp: 10 \t").rstrip().replace("tion: |\n  A dot", "tion: A dot")
    )
    codes, text = repair(spoiled)
    assert (sorted(codes), remaining_codes()) == (["ETU003", "ETU004"], [])
    assert text == spoiled.replace("xp: 10 \t", "xp: 10") + "\n"
    assert repair(text) == ([], text)


@pytest.mark.usefixtures("workdir")
def test_white_space_that_is_part_of_a_text_stays(clean: str) -> None:
    """In a literal block it may be a line break of Markdown, or what a program prints."""
    spoiled = clean.replace("xp: 10", "xp: 10 ").replace("divided by\n", "divided by  \n")
    codes, text = repair(spoiled)
    assert (codes, remaining_codes()) == (["ETU003"], ["ETU003"])
    assert text == spoiled.replace("xp: 10 ", "xp: 10")


@pytest.mark.usefixtures("workdir")
def test_an_empty_line_of_a_text_is_repaired(clean: str) -> None:
    """White space up to the indentation is not part of the text."""
    assert repair(clean.replace("\n\n  ## Shapes", "\n  \n  ## Shapes")) == (["ETU003"], clean)


@pytest.mark.usefixtures("workdir")
def test_a_last_line_that_would_change_stays(clean: str) -> None:
    """A literal block has a newline at its end if the file has one."""
    spoiled = clean.rstrip()
    assert repair(spoiled) == ([], spoiled)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.usefixtures("workdir")
def test_ends_of_lines_stay_as_they_are(clean: str, end: str) -> None:
    """Anyone who writes on Windows keeps their line ends."""
    spoiled = clean.replace("xp: 10", "xp: 10 ").replace("\n", end)
    assert repair(spoiled) == (["ETU003"], clean.replace("\n", end))


@pytest.mark.parametrize("folder", [".", "grader/definitions"])
def test_the_schema_above_is_named(workdir: Path, clean: str, folder: str) -> None:
    """The nearest one, relative to the file, in the first line."""
    (workdir / folder).mkdir(parents=True, exist_ok=True)
    (workdir / folder / "exercise.schema.json").write_text("{}")
    codes, text = repair(without_schema(clean))
    line = f"# yaml-language-server: $schema={'' if folder == '.' else folder + '/'}exercise.schema.json\n"
    assert codes == ["ETU005"]
    assert text == line + without_schema(clean)


@pytest.mark.usefixtures("workdir")
def test_no_schema_is_named_that_is_not_there(clean: str) -> None:
    """A line that leads nowhere would help no one."""
    text = without_schema(clean)
    assert repair(text) == ([], text)


@pytest.mark.usefixtures("workdir")
def test_the_exercise_stays_the_same(clean: str) -> None:
    """Every field is as before, apart from places and the digest; the mode and folder, too."""
    spoiled = clean.replace("\n\n", "\n \n").replace("id: any-shape", "id: any-shape   ")
    PATH.write_text(spoiled)
    PATH.chmod(0o640)
    before = load_exercise_file(PATH)
    finished = fix(lint([TargetGroup((PATH,))]).findings)
    after = load_exercise_file(PATH)
    assert len(finished) > 3
    for field in dataclasses.fields(before):
        if field.name in ("title", "instructions", "starter", "solution", "concepts", "requires"):
            assert getattr(after, field.name) == getattr(before, field.name)
    assert PATH.stat().st_mode & 0o777 == 0o640
    assert list(Path().iterdir()) == [PATH]


@pytest.mark.usefixtures("workdir")
def test_a_file_that_does_not_load_is_left_alone() -> None:
    """Its meaning is unknown."""
    assert repair("id: [a  \n") == ([], "id: [a  \n")
