"""A course's requirements: resolved by uv, compared with Etude's own, and what is refused."""

import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from grader.course import course_requirements
from grader.definitions.course import Course
from grader.definitions.course_file import load_course
from grader.errors import DefinitionError
from tests.integrations.conftest import index

Write = Callable[..., Course]
SORTED = f"sortedcontainers=={version('sortedcontainers')} --hash=sha256:{'0' * 64}\n"


@pytest.fixture
def course(tmp_path: Path) -> Write:
    """Write a course that names packages, with requirements if there are any."""

    def write(packages: str, requirements: str | None = None) -> Course:
        (tmp_path / "course.yaml").write_text(f"title: T\npackages: [{packages}]\n")
        if requirements is not None:
            (tmp_path / "requirements.txt").write_text(requirements)
        return load_course(tmp_path / "course.yaml")

    return write


@pytest.mark.parametrize(
    ("packages", "requirements", "message"),
    [
        ("sortedcontainers", SORTED, ""),
        ("sortedcontainers", f"# ours\n{SORTED}numpy=={version('numpy')}\n", ""),
        ("nowhere", "no-where==1\n", ""),  # who has not installed it cannot know its name
        ("yaml", "\n", ""),  # Etude requires it
        ("sortedcontainers", None, "course.yaml:2:1: packages: there is no .*requirements.txt; write"),
        (
            "sortedcontainers", "other==1\n",
            "course.yaml:2:1: packages: .*requirements.txt lacks sortedcontainers, which has ",
        ),
        (
            "sortedcontainers", f"{SORTED}NumPy==1.26.4 \\\n",
            r"requirements.txt:2:1: NumPy 1\.26\.4 is required here, and Etude has NumPy 2\.",
        ),
    ],
)  # fmt: skip
def test_requirements_fit_the_course_and_etude(
    course: Write, packages: str, requirements: str | None, message: str
) -> None:
    """A course without them, or with another version than Etude's, is refused by file and line."""
    read = course(packages, requirements)
    if not message:
        assert course_requirements.check_requirements(read) == (requirements or "").encode()
        return
    with pytest.raises(DefinitionError, match=message) as caught:
        course_requirements.check_requirements(read)
    assert "`etude packages lock`" in str(caught.value)


@pytest.mark.slow
def test_a_lock_has_hashes_of_what_etude_does_not_have(
    course: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the version that is installed here; what both require has Etude's, or is refused."""
    name, installed = "sortedcontainers", version("sortedcontainers")
    for requires, said in (("", ""), ("Requires-Dist: numpy<2\n", r"numpy<2 and numpy.*==2\.")):
        with index(name, installed, requires) as (address, serve):
            serve("the index's")
            for variable, value in {
                "UV_DEFAULT_INDEX": address, "UV_NO_CACHE": "1", "UV_FIND_LINKS": "",
            }.items():  # fmt: skip
                monkeypatch.setenv(variable, value)
            if said:
                with pytest.raises(DefinitionError, match=said):
                    course_requirements.lock_packages(course(name))
                continue
            text, python = course_requirements.lock_packages(course(name))
            assert python == "3.11"
            assert re.fullmatch(
                rf"{name}=={installed} \\\n    --hash=sha256:[0-9a-f]{{64}}\n", text
            )
