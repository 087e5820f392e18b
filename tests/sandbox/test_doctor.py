"""The doctor finds out by doing; choosing a backend goes by what starts."""

import pytest

from grader.errors import SandboxFault
from grader.sandbox.backends import LANDLOCK, NAMESPACES, UNSAFE, Backend, Launch
from grader.sandbox.examination import examine, examine_confinement
from grader.sandbox.in_child import syscalls
from grader.sandbox.process import open_sandbox


def test_a_working_backend_holds_every_attempt(each_sandbox: object) -> None:
    """Nothing that the doctor tries gets out of a backend that is said to work."""
    del each_sandbox  # skips what this host lacks
    for examination in examine([NAMESPACES, LANDLOCK]):
        assert examination.escapes == ()
        if examination.works:
            assert len(examination.blocked) == 11


def test_no_isolation_is_found_out() -> None:
    """The attempts are real: without a sandbox they get out, and the doctor says so."""
    (examination,) = examine([UNSAFE])
    assert not examination.works
    assert examination.blocked == ()


def test_an_author_s_code_gets_out_only_where_the_kernel_cannot_hold_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With Landlock nothing does; without it it reads files, and the doctor says so."""
    if syscalls.landlock_version():
        assert set(examine_confinement().values()) == {False}

    def missing(_: object) -> None:
        raise OSError

    monkeypatch.setattr(syscalls, "landlock_restrict", missing)
    out = {name for name, got_out in examine_confinement().items() if got_out}
    assert "read a file of the host" in out
    assert out <= {"read a file of the host", "look at other processes"}  # the second not of root's


def test_without_bubblewrap_landlock_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host without bwrap goes on with the next backend."""
    monkeypatch.setenv("PATH", "/nonexistent")
    (examination,) = examine([NAMESPACES])
    assert "bubblewrap is not installed" in examination.reason
    if examine([LANDLOCK])[0].works:
        with open_sandbox() as sandbox:
            assert sandbox.backend is LANDLOCK


def test_without_any_backend_the_fault_names_causes_and_fix() -> None:
    """No sandbox means no verdict: the message has each cause, the fix and the explicit way out."""
    broken = Backend("broken", "", "", lambda _host, _control, _many: Launch(("/bin/false",), {}))
    with pytest.raises(SandboxFault) as caught:
        open_sandbox([broken])
    message = str(caught.value)
    for part in ("broken: ", "Install bubblewrap", "etude doctor", "--unsafe-no-sandbox"):
        assert part in message


def test_attempts_that_could_not_be_made_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend is not said to work because the attempts themselves were broken."""
    monkeypatch.setattr("grader.sandbox.examination._ATTEMPTS", "import no_such_module")
    assert not any(examination.works for examination in examine([UNSAFE, LANDLOCK]))
