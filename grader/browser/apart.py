"""Keeps what a submission makes of Python and NumPy apart from what we work with.

In a process of its own it has them to itself: the names of their modules, the way NumPy prints and
what it warns of. Here they change hands with every request.
"""

import builtins
import linecache
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from grader.sandbox.inside.serving import FILE_NAME, MODULE_NAME

_SEED: Final = 0
_MODULE: Final = type(sys)
_GONE: Final = object()  # stands for a name that was deleted
_NAMES: Final = tuple(map(vars, (builtins, warnings, np, np.linalg)))


def _set_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]  # a list, whatever it is declared as


_SETTINGS: Final[tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...]] = (
    (np.geterr, lambda setting: np.seterr(**setting)),
    (np.get_printoptions, lambda setting: np.set_printoptions(**setting)),
    (lambda: list(warnings.filters), _set_filters),
    (sys.getrecursionlimit, sys.setrecursionlimit),
)


class Apart:
    """What one submission has made of them: nothing yet."""

    def __init__(self) -> None:
        self._our_names = [dict(names) for names in _NAMES]
        self._changes: list[dict[str, Any]] = [{} for _ in _NAMES]
        self._our_settings = self._settings = _read()
        with warnings.catch_warnings():  # behind it, what has been warned of before is news again
            pass
        random.seed(_SEED)
        np.random.seed(_SEED)  # noqa: NPY002  what it draws without a seed of its own

    def enter(self) -> None:
        """Have everything as the submission left it."""
        self._our_settings = _read()
        _write(self._settings, self._our_settings)
        for names, changes in zip(_NAMES, self._changes, strict=True):
            _apply(names, changes)

    def leave(self) -> None:
        """Have everything as it was. Uses no name of Python's before that is as it was."""
        number = 0
        for names in _NAMES:
            ours = self._our_names[number]
            changed = {
                name: value
                for name, value in names.items()
                # NumPy's own modules come when they are first named, and have to stay.
                if ours.get(name, value if value.__class__ is _MODULE else _GONE) is not value
            }
            changed |= {name: _GONE for name in ours if name not in names}
            self._changes[number] = changed
            _apply(names, {name: ours.get(name, _GONE) for name in changed})
            number += 1  # noqa: SIM113  there may be no `enumerate`
        self._settings = _read()
        _write(self._our_settings, self._settings)

    def forget(self) -> None:
        """Leave no trace of the submission's module."""
        sys.modules.pop(MODULE_NAME, None)
        linecache.cache.pop(FILE_NAME, None)


def _read() -> list[Any]:
    return [read() for read, _ in _SETTINGS]


def _write(wanted: list[Any], present: list[Any]) -> None:
    for (_, write), setting, now in zip(_SETTINGS, wanted, present, strict=True):
        if setting != now:
            write(setting)


def _apply(names: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if value is not _GONE:
            names[name] = value
        elif name in names:
            del names[name]
