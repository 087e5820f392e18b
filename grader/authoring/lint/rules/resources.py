"""Rules about names in NumPy and the reference, and about limits."""

import ast
import builtins
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from typing import Final

import numpy as np

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.course import Course
from grader.definitions.python_names import find_names
from grader.definitions.wording import did_you_mean, quote
from grader.disk_cache import find_package
from grader.errors import Problem
from grader.sandbox.limits import HIGHEST_LIMITS

_REFERENCE: Final = "reference"
# A multiple of the reference's use, which leaves room for other ways to write it.
_MIN_BUDGET: Final = 1.5
_TYPES: Final = (np.ndarray, np.generic, str, list, tuple, dict, set, float, int)
_PACKAGES: Final = (
    *("scipy", "pandas", "matplotlib", "sklearn", "torch", "tensorflow", "jax", "numba", "sympy"),
    *("skimage", "networkx", "statsmodels", "numexpr", "einops", "polars", "seaborn"),
)
_MODULES: Final = ("numpy", "math", "itertools", "functools", "statistics", "operator", "random")


@rule("ETU411", "error")
def unknown_forbidden_name(subject: LintedExercise) -> Iterator[Problem]:
    """A forbidden name that does not exist, so that nothing is forbidden."""
    forbid = subject.exercise.forbid
    if forbid is None:
        return
    for key in ("imports", "names", "calls"):
        for index, word in enumerate(getattr(forbid, key)):
            if (hint := _find_unknown(word, is_module=key == "imports")) is not None:
                message = f"there is no {quote(word)}, so this forbids nothing{hint}"
                yield subject.problem(message, "forbid", key, index)


def _find_unknown(word: str, *, is_module: bool) -> str | None:
    """Return a hint with the closest names if a name does not exist, else None."""
    root, *rest = word.split(".")
    root = "numpy" if root == "np" else root
    if not rest and not is_module:
        alike = sorted(name for name in _list_plain_names() if name[0] == word[0])
        return None if word in alike else did_you_mean(word, alike) or None
    if is_module and not rest:
        names = {"numpy", *_PACKAGES, *sys.stdlib_module_names}
        return None if root in names else did_you_mean(root, sorted(names)) or None
    if root not in _MODULES:
        return None
    owner, name = pkgutil.resolve_name(root), root
    for step in rest:
        name = f"{name}.{step}"
        try:
            owner = pkgutil.resolve_name(name)  # also finds a submodule that nothing has imported
        except (ImportError, AttributeError):
            return did_you_mean(step, sorted(vars(owner)) if hasattr(owner, "__dict__") else ())
    return None


@cache
def _list_plain_names() -> frozenset[str]:
    """Return the names that may be used without a dot."""
    names = {*vars(builtins), *sys.stdlib_module_names, *_MODULES, "np"}
    spaces = [np, np.linalg, np.fft, np.random, *_TYPES]
    return frozenset(names.union(*(dir(space) for space in spaces)))


@rule("ETU412", "error")
def unknown_reference(subject: LintedExercise) -> Iterator[Problem]:
    """The reference has no such module or name."""
    for name, definition in subject.exercise.defines.items():
        if definition.reference is None:
            continue
        module, _, attribute = definition.reference.partition(":")
        source = _read_reference(module, subject.exercise.course)
        if source is None:
            alike = sorted(path.stem for path in find_package(_REFERENCE).glob("[a-z]*.py"))
            hint = did_you_mean(module.rpartition(".")[2], alike)
            message = f"there is no module {quote(module)}{hint}"
        elif {attribute, "*"} & (names := _list_module_names(source)):
            continue
        else:
            hint = did_you_mean(attribute, sorted(names))
            message = f"{quote(module)} has no {quote(attribute)}{hint}"
        yield subject.problem(message, "defines", name, "reference")


def _read_reference(module: str, course: Course | None) -> str | None:
    """Return the source of a module of the course's or Etude's reference, or None."""
    if course is not None and module in course.modules:
        return course.sources[course.modules[module]]
    stem = find_package(_REFERENCE).parent.joinpath(*module.split("."))
    paths = (stem / "__init__.py", stem.with_suffix(".py"))
    return next((path.read_text("utf-8") for path in paths if path.is_file()), None)


@cache
def _list_module_names(source: str) -> frozenset[str]:
    """Return the names that a module sets, with `*` if it imports all of another one."""
    return find_names(ast.parse(source)).sets


@rule("ETU413", "error")
def limit_above_most(subject: LintedExercise) -> Iterator[Problem]:
    """A limit is higher than any exercise may have."""
    limits = subject.exercise.limits
    if limits is None:
        return
    most = {
        "cpu_seconds": HIGHEST_LIMITS.cpu_seconds,
        "wall_seconds": HIGHEST_LIMITS.wall_seconds,
        "memory_mib": HIGHEST_LIMITS.address_space >> 20,
        "output_kib": HIGHEST_LIMITS.output >> 10,
    }
    for key, cap in most.items():
        value = getattr(limits, key)
        if value is not None and value > cap:
            yield subject.problem(f"{value:g} is more than {cap:g}, the most", "limits", key)


@rule("ETU414", "warning")
def budget_below_reference(subject: LintedExercise) -> Iterator[Problem]:
    """A budget is near 1 or below: hardly more than the reference or the solution uses itself."""
    for index, test in enumerate(subject.exercise.tests):
        for key in ("time", "memory"):
            value = getattr(test.budget, key, None)
            if value is not None and value < _MIN_BUDGET:
                message = f"{value:g} times what the reference uses leaves no room for other ways"
                yield subject.problem(message, "tests", index, "budget", key)
