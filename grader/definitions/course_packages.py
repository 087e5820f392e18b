"""The packages that a course names besides NumPy, found among the installed ones."""

import importlib.util
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path

# Submissions must not import the grader, even if a package of the course requires it.
_OWN_PACKAGES = frozenset({"grader", "reference", "sitegen"})
_PRESENT_PACKAGES = frozenset({"numpy"})


@dataclass(frozen=True, slots=True)
class PackageFolders:
    """The paths of packages and their requirements, and the modules to import in advance."""

    paths: tuple[Path, ...] = ()
    modules: tuple[str, ...] = ()  # modules that the course names
    required: tuple[str, ...] = ()  # modules of required packages, which may fail to import


NO_PACKAGES = PackageFolders()


def explain_refusal(module: str) -> str:
    """Return the reason why a course cannot name a module, or ""."""
    top = module.partition(".")[0]
    if not all(part.isidentifier() for part in module.split(".")):
        return "is not the name of a module, as in `import`"
    if top in _PRESENT_PACKAGES or top in sys.stdlib_module_names:
        return "is always there"
    if top in _OWN_PACKAGES:
        return "is a part of Etude, which no submission may import"
    return ""


def explain_absence(module: str) -> str:
    """Return the sentence about a module that is not installed, with advice, or ""."""
    top = module.partition(".")[0]
    if distributions_of_modules().get(top) and importlib.util.find_spec(top) is not None:
        return ""
    reason = f"is not installed beside Etude, with {sys.executable}"
    for name, distributions in distributions_of_modules().items():
        if module in map(normalize_name, distributions):
            return f"{reason}; what is installed as {module} is imported as {name}"
    return f"{reason}; install it with `etude packages install`"


def describe_version(module: str) -> str:
    """Return the name and the version of the package of an installed module."""
    installed = find_distribution(module)
    return f"{installed.name} {installed.version}"


def find_distribution(module: str) -> Distribution:
    """Return the distribution of an installed module."""
    return distribution(distributions_of_modules()[module.partition(".")[0]][0])


@cache
def find_package_folders(modules: frozenset[str]) -> PackageFolders:
    """Return the folders that must be readable to import installed modules.

    Raises:
        LookupError: A module is not installed.
    """
    if not modules:  # reading the metadata of all installed packages is slow
        return NO_PACKAGES
    tops = {module.partition(".")[0] for module in modules}
    distributions = [distributions_of_modules()[top][0] for top in sorted(tops)]
    by_distribution: dict[str, list[str]] = {}
    for top, names in distributions_of_modules().items():
        for name in names:
            by_distribution.setdefault(normalize_name(name), []).append(top)
    paths: dict[Path, None] = {}
    required: list[str] = []
    for installed in with_requirements(distributions):
        normalized = normalize_name(installed.name)
        for top in by_distribution.get(normalized, ()):
            if top in _OWN_PACKAGES | _PRESENT_PACKAGES:
                continue
            required += [top] if top not in tops else []
            spec = importlib.util.find_spec(top)
            if spec is not None:
                module_paths = spec.submodule_search_locations or filter(None, [spec.origin])
                folders = [Path(path).resolve() for path in module_paths]
                # The shared libraries of a wheel are in a folder beside its module.
                spellings = sorted({installed.name, normalized, normalized.replace("-", "_"), top})
                libraries = [f.parent / f"{name}.libs" for f in folders for name in spellings]
                paths |= dict.fromkeys([*folders, *filter(Path.is_dir, libraries)])
    return PackageFolders(tuple(paths), tuple(sorted(modules)), tuple(required))


def with_requirements(names: Iterable[str]) -> list[Distribution]:
    """Return distributions and all their requirements on this system, without optional extras."""
    from packaging.requirements import InvalidRequirement, Requirement  # rarely needed

    pending, distributions = list(names), dict[str, Distribution]()
    while pending:
        name = pending.pop()
        if normalize_name(name) in distributions:
            continue
        try:
            distributions[normalize_name(name)] = installed = distribution(name)
        except PackageNotFoundError:  # an import of it will fail with a clear error
            continue
        for text in installed.requires or ():
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                continue
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                pending.append(requirement.name)
    return list(distributions.values())


@cache
def distributions_of_modules() -> dict[str, list[str]]:
    """Return the installed distributions that contain each top-level module."""
    return {top: list(names) for top, names in packages_distributions().items()}


def normalize_name(name: str) -> str:
    """Return the normalized name of a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()
