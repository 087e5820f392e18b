"""Results that PyTorch and ONNX computed, recorded by `record_cases.py`."""

import io
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """The input arrays and output arrays of another library, by name."""

    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, NDArray[Any]]


Recorded: TypeAlias = Callable[[str, str], Case]


@cache
def _group(name: str) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(lzma.decompress((CASES / f"{name}.npz.xz").read_bytes()))) as arrays:
        return dict(arrays)


@pytest.fixture(scope="session")
def recorded() -> Recorded:
    """Look up a recorded case by group and name; its arrays are read-only."""

    def look_up(group: str, name: str) -> Case:
        case = Case(inputs={}, outputs={})
        for key, array in _group(group).items():
            case_name, part, member = key.split("/")
            if case_name == name:
                array.flags.writeable = False
                getattr(case, part)[member] = array
        if not case.outputs:
            raise LookupError(f"no case {name!r} is recorded in the group {group!r}")
        return case

    return look_up
