"""A submission's changes to Python and NumPy, kept apart from the grader in one process.

A submission may change names in the modules of Python and NumPy, and the way NumPy prints and
warns. In a page these changes are applied before each request and reverted after it.
"""

import builtins
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

_SEED: Final = 0
_MODULE: Final = type(sys)
_GONE: Final = object()  # stands for the value of a deleted name
_NAMES: Final = tuple(map(vars, (builtins, warnings, np, np.linalg)))


def _set_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]  # declared as a sequence, but a list


_SETTINGS: Final[tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...]] = (
    (np.geterr, lambda setting: np.seterr(**setting)),
    (np.get_printoptions, lambda setting: np.set_printoptions(**setting)),
    (lambda: list(warnings.filters), _set_filters),
    (sys.getrecursionlimit, sys.setrecursionlimit),
)


def _read() -> list[Any]:
    return [read() for read, _ in _SETTINGS]


# Read at import, because a test may have set warning filters of its own when a submission starts.
_DEFAULTS: Final = _read()


class SubmissionGlobals:
    """The changes that one submission has made to global names and settings."""

    def __init__(self) -> None:
        self._our_names: list[dict[str, Any]] = [{} for _ in _NAMES]
        self._changes: list[dict[str, Any]] = [{} for _ in _NAMES]
        self._our_settings = self._settings = _DEFAULTS
        self._our_start = self._start = _read_start()
        with warnings.catch_warnings():  # leaving it makes Python show each warning again
            pass
        random.seed(_SEED)
        np.random.seed(_SEED)  # noqa: NPY002  makes draws without a seed the same in every run

    def apply(self) -> None:
        """Restore the names and settings that the submission had left."""
        # Copied for each request, because `catch_warnings` replaces a name of `warnings`.
        self._our_names = [dict(names) for names in _NAMES]
        self._our_settings = _read()
        _write(self._settings, self._our_settings)
        self._our_start = _read_start()
        _set_start(self._start)
        for names, changes in zip(_NAMES, self._changes, strict=True):
            _apply(names, changes)

    def revert(self) -> None:
        """Restore the grader's names and settings.

        The submission may have replaced built-in names, so none is used before they are restored.
        """
        number = 0
        for names in _NAMES:
            ours = self._our_names[number]
            changed = {
                name: value
                for name, value in names.items()
                # NumPy imports some of its modules on first use, and they have to stay.
                if ours.get(name, value if value.__class__ is _MODULE else _GONE) is not value
            }
            changed |= {name: _GONE for name in ours if name not in names}
            self._changes[number] = changed
            _apply(names, {name: ours.get(name, _GONE) for name in changed})
            number += 1  # noqa: SIM113  the submission may have deleted `enumerate`
        self._settings = _read()
        _write(self._our_settings, self._settings)
        self._start = _read_start()
        _set_start(self._our_start)


def _read_start() -> list[Any]:
    """Return the values in `sys` that name the program Python was started with."""
    return [vars(sys).get("argv"), vars(sys).get("orig_argv"), sys.modules.get("__main__")]


def _set_start(start: list[Any]) -> None:
    sys.argv, sys.orig_argv, sys.modules["__main__"] = start


def _write(settings: list[Any], present: list[Any]) -> None:
    for (_, write), setting, now in zip(_SETTINGS, settings, present, strict=True):
        if setting != now:
            write(setting)


def _apply(names: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if value is not _GONE:
            names[name] = value
        elif name in names:
            del names[name]
