"""Commands and files that the documents name, checked to exist."""

import re
import shlex
from pathlib import Path

import click
import pytest

from grader.cli.main import etude

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if path.parent.name != "generated"  # from the code, when the site is built
)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
_BLOCK = r"^ *```(sh)?[^\n]*\n(.*?)^ *```$"
_REDIRECTED = re.compile(r" (>|2>|\||&&) .*")
_OURS = re.compile(r" *(etude|make) ")


def commands(text: str) -> list[list[str]]:
    """Return the commands in code blocks for a shell and in code spans, as words."""
    blocks = re.findall(_BLOCK, text, re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(_BLOCK, "", text, flags=re.MULTILINE | re.DOTALL))
    lines = [line for shell, block in blocks if shell for line in block.splitlines()] + spans
    return [
        shlex.split(_REDIRECTED.sub("", line), comments=True) for line in lines if _OURS.match(line)
    ]


def mentioned(program: str) -> list[object]:
    return [
        pytest.param(words, id=f"{path.stem}: {' '.join(words)}")
        for path in DOCUMENTS
        for words in commands(path.read_text("utf-8"))
        if words[0] == program
    ]


@pytest.mark.parametrize("words", mentioned("etude"))
def test_every_command_is_one_that_etude_has(words: list[str]) -> None:
    """Subcommand, options and number of arguments are as the command line takes them."""
    command: click.Command = etude
    name, rest = words[0], words[1:]
    while isinstance(command, click.Group) and rest:
        name, *rest = rest
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name!r}"
        command = found
    # A command that is only named, such as in a sentence about it, has no arguments to check.
    if rest:
        _, surplus, _ = command.make_parser(click.Context(command)).parse_args(rest)
        assert surplus == []


@pytest.mark.parametrize("words", mentioned("make"))
def test_every_make_target_is_in_the_makefile(words: list[str]) -> None:
    """Each `make` command of the documents exists."""
    assert set(words[1:]) <= TARGETS


def test_every_make_target_that_is_listed_is_found() -> None:
    """The search above knows the Makefile's way to write a target."""
    assert {"help", "demo", "test", "format", "lock", "clean"} <= TARGETS


def test_wrong_commands_would_be_noticed() -> None:
    """Commands are found in blocks, indented ones too, and in sentences; options are looked at."""
    text = "a\n```sh\netude check a b  # c\n```\n\n   ```sh\n   make x\n   ```\n`etude site build --no DIR`\n"
    assert commands(text) == [
        ["etude", "check", "a", "b"],
        ["make", "x"],
        ["etude", "site", "build", "--no", "DIR"],
    ]
    with pytest.raises(click.NoSuchOption):
        test_every_command_is_one_that_etude_has(["etude", "check", "a", "b", "--no"])
    with pytest.raises(AssertionError):
        test_every_command_is_one_that_etude_has(["etude", "prove", "a"])
    with pytest.raises(AssertionError):
        test_every_command_is_one_that_etude_has(["etude", "check", "a", "b", "c"])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_to_a_file_leads_somewhere(path: Path) -> None:
    """Links within the repository name files that exist."""
    text = re.sub(r"(?<!`)`[^`\n]+`(?!`)", "", path.read_text("utf-8"))  # code shows no link
    links = re.findall(r"\]\(([^)#\s]+)", text)
    links = [link for link in links if "://" not in link and "generated/" not in link]
    missing = [link for link in links if not (path.parent / link).exists()]
    assert missing == []


def test_readme_and_contributing_mention_commands() -> None:
    """There is something to check in both."""
    for name in ("README.md", "CONTRIBUTING.md"):
        programs = {words[0] for words in commands((ROOT / name).read_text("utf-8"))}
        assert programs == {"etude", "make"}


def test_every_path_of_the_architecture_exists() -> None:
    """Paths of the table of changes are below `grader/`, at the root, or beside one named before."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = text.partition("## Where a change goes")[2].partition("\n## ")[0]
    paths = re.findall(r"`([a-z_/]+(?:/|\.[a-z]+))`", table)
    bases = [ROOT, ROOT / "grader", ROOT / "server" / "etude_server", ROOT / "site" / "sitegen"]
    bases += [ROOT / "site" / "frontend" / "src"]

    assert len(paths) > 40
    assert [path for path in paths if not any((base / path).exists() for base in bases)] == []
