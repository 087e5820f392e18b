"""Destinations of reports: one on standard output, the others in files never half written."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.errors import UsageError
from grader.reports import to_html
from grader.reports.formats import Delivery, RequestedFormat
from grader.reports.report import Batch, Report
from grader.whole_files import write_whole


def delivery(*words: str) -> Delivery:
    return Delivery.from_requests([RequestedFormat.parse(word) for word in words])


def report(cases: dict[str, Report | Batch], name: str = "pass") -> Report:
    wanted = cases[name]
    assert isinstance(wanted, Report)
    return wanted


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("CLASSROOM", raising=False)


def test_text_is_printed_unless_another_format_is() -> None:
    """Formats with a file leave standard output alone."""
    assert delivery().printed.name == "text"
    assert delivery("junit=a.xml").printed.name == "text"
    assert delivery("junit=a.xml", "json").printed.name == "json"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["json", "csv"], "only one of json and csv can be printed"),
        (["json=a", "csv=./a"], "two formats are for one file"),
        (["json=nowhere/a"], "there is no folder nowhere"),
        (["json="], "the name of a file is missing"),
        (["jsn"], r"^'jsn' is not a format; did you mean 'json'\? There are text, "),
        (["zzzzzz"], r"^'zzzzzz' is not a format\. There are text, "),
        (["json=."], "is a folder"),
        (["classroom50"], "CLASSROOM"),
    ],
)
def test_what_cannot_be_done_is_said_before_grading(words: list[str], message: str) -> None:
    """Two formats for one place, an impossible file, and an unknown format are refused."""
    with pytest.raises(UsageError, match=message):
        delivery(*words)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("GITHUB_ACTIONS", "true"), ("TF_BUILD", "True"), ("TEAMCITY_VERSION", "2026.1")],
)
@pytest.mark.parametrize(
    "name", ["text", "plain", "json", "jsonl", "junit", "markdown", "html", "csv"]
)
def test_no_report_commands_the_runner_that_reads_it(
    name: str,
    variable: str,
    value: str,
    cases: dict[str, Report | Batch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a job's log no line begins with `::`, and none has `##[`; what was printed is still there."""
    verdict = report(cases, "fail").verdict
    assert verdict is not None
    odd = (
        "\n  ::set-output name=score::9\n::stop-commands::x\n a ##[error]b ##vso[task.complete]c\n"
    )
    tests = tuple(replace(each, output=odd) for each in verdict.tests if not each.hidden)
    made = Report.from_verdict(replace(verdict, output=odd, tests=tests), "double.py")
    assert "##[error]" in delivery(name).text(made) or name == "csv"

    monkeypatch.setenv(variable, value)
    told = delivery(name)
    text = told.text(made)
    assert not told.is_drawn
    assert not re.search(r"^\s*::|##\w*\[", text, re.MULTILINE)
    if name == "json":
        assert json.loads(text)["output"] == odd
    if name == "junit":
        assert "##[error]b" in ET.fromstring(text).findtext(".//system-out", "")  # noqa: S314  our own


def test_annotations_command_no_other_runner(cases: dict[str, Report | Batch]) -> None:
    """On Azure or TeamCity, printed or in a file: a message and a file's name hold no command."""
    verdict = report(cases, "fail").verdict
    assert verdict is not None
    odd = "##vso[task.complete result=Succeeded]done ##teamcity[buildStop] ##[add-path]x"
    tests = tuple(replace(each, message=odd) for each in verdict.tests if not each.hidden)
    made = Report.from_verdict(replace(verdict, tests=tests), f"{odd}.py")
    told = delivery("github", "github=log")
    told.write(made)
    for text in (told.text(made), Path("log").read_text()):
        assert "vso[task.complete result=Succeeded]done" in text
        assert not re.search(r"##\w*\[", text)


def test_every_file_is_written(cases: dict[str, Report | Batch]) -> None:
    """One submission or a batch; a name may have an equals sign in it."""
    delivery("json=a=b.json", "csv=a.csv").write(report(cases))
    assert json.loads(Path("a=b.json").read_text())["outcome"] == "passed"
    assert Path("a.csv").read_text().startswith("student,")
    delivery("json=batch.json").write(cases["batch"])
    assert len(json.loads(Path("batch.json").read_text())["verdicts"]) == 5
    assert {path.name for path in Path().iterdir()} == {"a.csv", "a=b.json", "batch.json"}


def test_a_file_is_never_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing breaks off, the old file is there, and nothing else."""
    write_whole(Path("a"), "old")

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="No space"):
        write_whole(Path("a"), "new")
    assert Path("a").read_text() == "old"
    assert list(Path().iterdir()) == [Path("a")]


def test_a_file_keeps_its_mode() -> None:
    """The new text has the rights of the old one."""
    Path("real").write_text("old")
    Path("real").chmod(0o640)
    write_whole(Path("real"), "new")
    assert Path("real").read_text() == "new"
    assert Path("real").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("target", ["theirs", "nothing", "fifo"])
def test_a_link_is_replaced_and_never_followed(target: str) -> None:
    """A checkout may hold one that leads to any file of the person who grades."""
    Path("theirs").write_text("old")
    os.mkfifo("fifo")
    Path("link").symlink_to(target)
    delivery("json=link")
    write_whole(Path("link"), "new")
    assert not Path("link").is_symlink()
    assert Path("link").read_text() == "new"
    assert Path("theirs").read_text() == "old"
    assert not Path("nothing").exists()


def test_a_folder_on_the_way_is_no_link_below_the_working_directory(tmp_path: Path) -> None:
    """By a relative path or an absolute one; a link outside is the operator's own."""
    for name in ("checkout", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "own").symlink_to("elsewhere")
    os.chdir("checkout")
    Path("out").symlink_to(tmp_path / "elsewhere")
    for path in (Path("out/a"), tmp_path / "checkout" / "out" / "a", Path("out/../a")):
        with pytest.raises(UsageError, match="out is a symbolic link; name the folder"):
            delivery(f"json={path}")
        with pytest.raises(UsageError, match="out is a symbolic link; name the folder"):
            write_whole(path, "new")
    delivery("json=../own/a")
    write_whole(Path("../own/a"), "new")
    assert (tmp_path / "elsewhere" / "a").read_text() == "new"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("is_file", [False, True])
def test_a_descriptor_is_written_to_as_it_is(name: str, is_file: bool) -> None:
    """A pipe, or a file in which more stands before and after."""
    code = (
        "from pathlib import Path; from grader import whole_files; from grader.reports import formats\n"
        f"formats.Delivery.from_requests([formats.RequestedFormat.parse('json={name}')])\n"
        f"print('a', flush=True); whole_files.write_whole(Path('{name}'), 'b\\n'); print('c')"
    )
    command = [sys.executable, "-c", code]
    if is_file:
        with Path("out").open("wb") as out:
            subprocess.run(command, stdout=out, check=True)
        assert Path("out").read_text() == "a\nb\nc\n"
    else:
        finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        assert finished.stdout == "a\nb\nc\n"


def test_a_device_is_written_to_and_not_replaced() -> None:
    """`--format json=/dev/null` must not put a file in its place."""
    write_whole(Path("/dev/null"), "x")
    assert Path("/dev/null").is_char_device()


def test_a_pipe_is_written_to() -> None:
    """A FIFO with a reader can be written, too."""
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(Path("pipe"), "x")
        assert os.read(reader, 10) == b"x"
    finally:
        os.close(reader)


@pytest.fixture
def _broken_html(monkeypatch: pytest.MonkeyPatch) -> None:
    real = to_html.render_report

    def one(wanted: Report) -> str:
        if not wanted.is_fault:
            raise ValueError("a bug in a renderer")
        return real(wanted)

    monkeypatch.setattr(to_html, "render_report", one)


@pytest.mark.usefixtures("_broken_html")
def test_a_renderer_that_breaks_harms_no_other(cases: dict[str, Report | Batch]) -> None:
    """Its own file says that there is a fault, and the error is not hushed up."""
    with pytest.raises(ValueError, match="a bug in a renderer"):
        delivery("html=a.html", "json=a.json").write(report(cases))
    assert "Grader fault" in Path("a.html").read_text()
    assert json.loads(Path("a.json").read_text())["outcome"] == "passed"


def test_the_job_summary_is_appended(
    cases: dict[str, Report | Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another step wrote stays; without the variable nothing is written."""
    Path("summary.md").write_text("before\n")
    delivery("github").write(report(cases))
    assert Path("summary.md").read_text() == "before\n"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    delivery("github").write(report(cases))
    text = Path("summary.md").read_text()
    assert text.startswith("before\n## ")
    assert "Passed: 4/4 points" in text


def test_characters_that_are_none_can_be_written() -> None:
    """A folder's name may contain bytes that are not UTF-8."""
    write_whole(Path("a"), "caf\udce9")
    assert Path("a").read_bytes() == b"caf?"


def test_a_batch_keeps_what_it_knows_of_faults(cases: dict[str, Report | Batch]) -> None:
    """Faults are counted, verdicts summed."""
    batch = cases["batch"]
    assert isinstance(batch, Batch)
    assert [each.student for each in batch.faults] == ["dee"]
    assert (batch.score, batch.max_score, batch.seconds) == (6, 15, 1.25)
    assert replace(batch, reports=()).seconds == 0
