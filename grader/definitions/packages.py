"""Packages beside NumPy that a course names: found among those that are installed with Etude."""

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

# No submission imports what grades it, whatever is required by what a course names.
_NEVER = frozenset({"grader", "reference", "sitegen"})
_ALWAYS = frozenset({"numpy"})


@dataclass(frozen=True, slots=True)
class PackageFolders:
    """The paths of packages and of all that they require, and the modules to import ahead."""

    paths: tuple[Path, ...] = ()
    modules: tuple[str, ...] = ()  # those that a course names
    required: tuple[str, ...] = ()  # of packages that these require, some of which may not import


NO_PACKAGES = PackageFolders()


def refusal(module: str) -> str:
    """Return why no course can name a module; "" if one can."""
    top = module.partition(".")[0]
    if not all(part.isidentifier() for part in module.split(".")):
        return "is no name of a module, as in `import`"
    if top in _ALWAYS or top in sys.stdlib_module_names:
        return "is always there"
    if top in _NEVER:
        return "is a part of Etude, which no submission may import"
    return ""


def absence(module: str) -> str:
    """Return that a module is not installed, and what to do; "" if it is."""
    top = module.partition(".")[0]
    if distributions_of_modules().get(top) and importlib.util.find_spec(top) is not None:
        return ""
    why = f"is not installed beside Etude, with {sys.executable}"
    for name, distributions in distributions_of_modules().items():
        if module in map(plain, distributions):
            return f"{why}; what is installed as {module} is imported as {name}"
    return f"{why}; install it with `etude packages install`"


def version(module: str) -> str:
    """Return name and version of the package that an installed module belongs to."""
    installed = find_distribution(module)
    return f"{installed.name} {installed.version}"


def find_distribution(module: str) -> Distribution:
    """Return the distribution that an installed module belongs to."""
    return distribution(distributions_of_modules()[module.partition(".")[0]][0])


@cache
def find_package_folders(modules: frozenset[str]) -> PackageFolders:
    """Return what must be readable so that installed modules can be imported.

    Raises:
        LookupError: One is not installed.
    """
    if not modules:  # to read the metadata of all that is installed would take half of a check
        return NO_PACKAGES
    tops = {module.partition(".")[0] for module in modules}
    distributions = [distributions_of_modules()[top][0] for top in sorted(tops)]
    by_distribution: dict[str, list[str]] = {}
    for top, names in distributions_of_modules().items():
        for name in names:
            by_distribution.setdefault(plain(name), []).append(top)
    paths: dict[Path, None] = {}
    required: list[str] = []
    for installed in with_requirements(distributions):
        called = plain(installed.name)
        for top in by_distribution.get(called, ()):
            if top in _NEVER | _ALWAYS:
                continue
            required += [top] if top not in tops else []
            spec = importlib.util.find_spec(top)
            if spec is not None:
                places = spec.submodule_search_locations or filter(None, [spec.origin])
                folders = [Path(place).resolve() for place in places]
                # The shared libraries of a wheel lie beside its module.
                spellings = sorted({installed.name, called, called.replace("-", "_"), top})
                libraries = [f.parent / f"{name}.libs" for f in folders for name in spellings]
                paths |= dict.fromkeys([*folders, *filter(Path.is_dir, libraries)])
    return PackageFolders(tuple(paths), tuple(sorted(modules)), tuple(required))


def with_requirements(names: Iterable[str]) -> list[Distribution]:
    """Return distributions and all that their metadata require here, but optional extras."""
    from packaging.requirements import InvalidRequirement, Requirement  # a check needs none

    waiting, distributions = list(names), dict[str, Distribution]()
    while waiting:
        name = waiting.pop()
        if plain(name) in distributions:
            continue
        try:
            distributions[plain(name)] = here = distribution(name)
        except PackageNotFoundError:  # then it fails where it is imported, if it is
            continue
        for text in here.requires or ():
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                continue
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return list(distributions.values())


@cache
def distributions_of_modules() -> dict[str, list[str]]:
    """Return the installed distributions that have each top-level module."""
    return {top: list(names) for top, names in packages_distributions().items()}


def plain(name: str) -> str:
    """Return the name of a distribution in its one spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()
