"""A course's `requirements.txt`: the packages that pip installs in addition to Etude."""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Final

from grader.definitions.course import Course
from grader.definitions.course_file import load_course
from grader.definitions.course_packages import (
    distributions_of_modules,
    find_distribution,
    normalize_name,
    with_requirements,
)
from grader.definitions.files import REQUIREMENTS_FILE, read_file
from grader.definitions.yaml_source import read_yaml
from grader.errors import DefinitionError, Location, UsageError

# The lock file of a checkout.
LOCK: Final = Path(__file__).parents[2] / "requirements" / "runtime.txt"
_OLDEST: Final = "3.11"  # oldest Python that Etude supports
_PIN: Final = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?\s*==\s*([^\s;\\]+)")


def lock_packages(course: Course) -> tuple[str, str]:
    """Return the requirements of a course's packages, and their oldest supported Python.

    The packages get the versions that are installed here. Etude's own packages are left out.

    Raises:
        DefinitionError: A package is not installed, or conflicts with Etude.
        UsageError: The command uv, which finds the hashes, is missing.
    """
    if course.problem_by_package:
        raise DefinitionError([*course.problem_by_package.values()])
    command = _find_uv()
    if not command:
        raise UsageError("uv finds versions and hashes; install it with `pip install uv`")
    distributions = map(find_distribution, course.packages)
    version_of = {distribution.name: distribution.version for distribution in distributions}
    pins = "".join(f"{name}=={version}\n" for name, version in sorted(version_of.items()))
    with tempfile.TemporaryDirectory(prefix="etude-") as folder:
        ours = Path(folder, "etude.txt")
        ours.write_text(_read_own_requirements(), encoding="utf-8")
        command += ["pip", "compile", "-", "--constraint", str(ours), "--universal", "--quiet"]
        command += ["--generate-hashes", "--no-header", "--no-annotate"]
        command += ["--no-emit-index-url", "--no-emit-find-links"]
        command += [f"--no-emit-package={name}" for name in find_own_versions()]
        own_python = ".".join(map(str, sys.version_info[:2]))
        # A package version may support only newer Pythons.
        for python in dict.fromkeys((_OLDEST, own_python)):
            done = subprocess.run(  # noqa: S603  our own words
                [*command, f"--python-version={python}"],
                input=pins, cwd=folder, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if not done.returncode:
                return done.stdout, python
    reason = " ".join(done.stderr.split()).partition(" hint: ")[0]
    raise _make_error(course, f"uv cannot install them together with Etude: {reason}")


def check_requirements(course: Course) -> bytes | None:
    """Return the requirements file beside a course, or None if the course names no packages.

    Raises:
        DefinitionError: The file is missing, lacks a package, or pins a version other than Etude's.
    """
    if not (course.packages or course.problem_by_package):
        return None
    path = course.where.path.with_name(REQUIREMENTS_FILE)
    write = "write it with `etude packages lock`, where they are installed"
    if not path.is_file():
        raise _make_error(course, f"there is no {path}; {write}")
    content = read_file(path)
    ours = find_own_versions()
    names = set()
    for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
        if requirement := re.match(r"[A-Za-z0-9][\w.-]*", line):
            names.add(normalize_name(requirement[0]))
        pin = _PIN.match(line)
        if pin and pin[2] not in ours.get(normalize_name(pin[1]), {pin[2]}):
            other = " or ".join(sorted(ours[normalize_name(pin[1])]))
            message = f"{pin[1]} {pin[2]} is required here, and Etude has {pin[1]} {other}; {write}"
            raise DefinitionError.at(Location(path, number), message)
    for module in course.packages:
        if normalize_name(name := find_distribution(module).name) not in {*names, *ours}:
            raise _make_error(course, f"{path} lacks {name}, which has '{module}'; {write}")
    return content


def install_packages(course: Course) -> bool:
    """Install the requirements beside a course; return whether there were any.

    Raises:
        DefinitionError: As for `check_requirements`, or a package is still missing.
        UsageError: Pip failed; it has printed the reason.
    """
    requirements = course.where.path.with_name(REQUIREMENTS_FILE)
    if not course.problem_by_package and not requirements.is_file():
        return False
    if check_requirements(course) is None:
        return False
    command = [sys.executable, "-I", "-m", "pip", "install", "--disable-pip-version-check"]
    # A shared cache may be writable by students.
    command += ["--quiet", "--no-cache-dir"]
    if importlib.util.find_spec("pip") is None:
        command = [*_find_uv(), "pip", "install", "--quiet", "--no-cache"]
        command += ["--python", sys.executable]
    # Neither pip nor its children may import from the working directory.
    variables = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(  # noqa: S603  our own words
        [*command, "--requirement", REQUIREMENTS_FILE],
        cwd=course.where.path.parent, env={**variables, "PYTHONSAFEPATH": "1"}, check=False,
    )  # fmt: skip
    if done.returncode:
        raise UsageError(f"pip could not install {requirements}")
    importlib.invalidate_caches()
    distributions_of_modules.cache_clear()
    missing = load_course(course.where.path).problem_by_package
    if missing:
        names = ", ".join(missing)
        raise _make_error(course, f"{REQUIREMENTS_FILE} was installed, and has no module {names}")
    return True


def find_own_versions() -> Mapping[str, set[str]]:
    """Return the versions of Etude's dependencies, for any Python, by name."""
    versions: dict[str, set[str]] = {}
    for pin in map(_PIN.match, _read_own_requirements().splitlines()):
        if pin:
            versions.setdefault(normalize_name(pin[1]), set()).add(pin[2])
    return versions


def _read_own_requirements() -> str:
    """Return the lock file of this checkout, or the one installed with Etude."""
    if LOCK.is_file():
        return LOCK.read_text(encoding="utf-8")
    try:
        installed = with_requirements(["etude"])
    except PackageNotFoundError:
        return ""
    return "".join(
        f"{distribution.name}=={distribution.version}\n"
        for distribution in installed
        if distribution.name != "etude"
    )


def _find_uv() -> list[str]:
    if importlib.util.find_spec("uv") is not None:
        return [sys.executable, "-I", "-m", "uv"]
    path = shutil.which("uv")
    return [path] if path else []


def _make_error(course: Course, message: str) -> DefinitionError:
    where = read_yaml(course.where.path).key("packages")
    return DefinitionError.at(where, f"packages: {message}")
