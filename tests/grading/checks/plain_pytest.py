"""Probes of pytest bodies: the judgements of plain Python and of the grader."""

import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
import pytest

from grader.definitions.exercise import Operator

Fields: TypeAlias = dict[str, object]


OPERATORS = list(get_args(Operator))


@dataclass(frozen=True, slots=True)
class Probe:
    """A body, a program that passes it, and one that fails it.

    The right program determines `defines`: all its public functions and classes, and the names in
    `values`.
    """

    body: str
    right: str
    wrong: str = ""
    given: str = ""
    values: tuple[str, ...] = ()
    refused: str = ""  # the lint message for a body that cannot mean the same in the grader

    @property
    def defines(self) -> dict[str, Fields]:
        """The exercise's `defines`, read from the right program."""
        names: dict[str, Fields] = {}
        for name, value in _program(self.right).items():
            if name in self.values:
                names[name] = {"kind": "value"}
            elif getattr(value, "__module__", "") == "submission" and not name.startswith("_"):
                is_class = isinstance(value, type)
                names[name] = {"kind": "class", "operators": OPERATORS} if is_class else {}
        return names

    @property
    def fields(self) -> Fields:
        """The fields of the test, which allows changed arguments, because bodies may rely on them."""
        given = {"given": self.given} if self.given else {}
        return {"pytest": self.body, "keep_inputs": False, **given}


def some_quick(probes: Mapping[str, Probe]) -> list[Any]:
    """Return the names of probes as parameters: one in eight always runs, the others are slow."""
    return [
        pytest.param(name, marks=() if number % 8 == 0 else pytest.mark.slow)
        for number, name in enumerate(probes)
    ]


def passes_in_plain_python(probe: Probe, program: str, fixtures: Mapping[str, Any]) -> bool:
    """Run a body on a program in this process; return whether pytest would pass it."""
    defined = _program(program)
    names: dict[str, Any] = {"np": np, "pytest": pytest, **fixtures}
    given: dict[str, Any] = {"np": np, "rng": np.random.default_rng(0)}
    exec(probe.given, given)  # noqa: S102  the probe's own
    names |= {name: value for name, value in given.items() if not name.startswith("__")}
    names |= {name: defined[name] for name in probe.defines}
    lines = "\n    ".join(probe.body.splitlines())
    exec(f"def test():\n    {lines}", names)  # noqa: S102  the probe's own
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        try:
            names["test"]()
        except (Exception, pytest.fail.Exception):  # noqa: BLE001  every one fails a test
            return False
    return True


def _program(source: str) -> dict[str, Any]:
    module = types.ModuleType("submission")
    exec(source, module.__dict__)  # noqa: S102  the probe's own
    return module.__dict__
