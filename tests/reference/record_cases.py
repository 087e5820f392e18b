"""Record results of PyTorch and ONNX, so that the tests need neither of them installed.

Run it by hand, where torch and onnx are installed:

    python tests/reference/record_cases.py             # write cases/ again
    python tests/reference/record_cases.py --check     # compare cases/ with a fresh computation
    python tests/reference/record_cases.py attention   # one group only

Each file cases_<group>.py beside this one is a group. Its functions record_* yield (name, inputs,
outputs), where inputs and outputs map names to arrays; numbers and booleans may be stored as arrays
without axes. A group is written to two files:

- cases/<group>.npz.xz: the arrays, keyed "<name>/inputs/<array>" and "<name>/outputs/<array>";
- cases/<group>.json: the versions of the libraries, and the names of the cases.
"""

import argparse
import importlib
import io
import json
import lzma
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Arrays: TypeAlias = dict[str, NDArray[Any]]

HERE = Path(__file__).parent
CASES = HERE / "cases"
LIBRARIES = ("numpy", "onnx", "torch")
TOLERANCE = 1e-12  # sums may be rounded in another order on another machine


def main() -> int:
    """Write or check the requested groups; return the exit status."""
    options = parse_arguments()
    groups = options.groups or [path.stem.removeprefix("cases_") for path in module_paths()]
    if options.check:
        differences = [line for group in groups for line in differences_in(group)]
        print("\n".join(differences) or "all recorded cases are as computed")  # noqa: T201  a script
        return 1 if differences else 0
    CASES.mkdir(exist_ok=True)
    for group in groups:
        write(group)
    return 0


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Record what PyTorch and ONNX compute.")
    parser.add_argument("groups", nargs="*", help="the groups to record; all if none is named")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    return parser.parse_args()


def module_paths() -> list[Path]:
    """Find the modules that record cases."""
    return sorted(HERE.glob("cases_*.py"))


def compute(group: str) -> Arrays:
    """Run every record_* function of a group; return the arrays by key."""
    module = importlib.import_module(f"cases_{group}")  # Python puts a script's folder on its path
    arrays: Arrays = {}
    for name, function in vars(module).items():
        if name.startswith("record_"):
            add_all(arrays, function())
    return arrays


def add_all(
    arrays: Arrays, cases: Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]
) -> None:
    """Add the arrays of each case under its keys."""
    for name, inputs, outputs in cases:
        for part, members in (("inputs", inputs), ("outputs", outputs)):
            for member, value in members.items():
                key = f"{name}/{part}/{member}"
                if key in arrays:
                    raise ValueError(f"recorded twice: {key}")
                arrays[key] = np.asarray(value)


def write(group: str) -> None:
    """Compute a group and write its two files."""
    arrays = compute(group)
    # Compressed as a whole, because many cases share inputs: a third of a compressed .npz.
    with lzma.open(CASES / f"{group}.npz.xz", "wb", preset=9) as file:
        # The type stubs take the keyword `allow_pickle` for an array.
        np.savez(file, **arrays)  # type: ignore[arg-type]
    about = {
        "recorded_with": {library: version(library) for library in LIBRARIES},
        "cases": sorted({key.split("/", 1)[0] for key in arrays}),
    }
    (CASES / f"{group}.json").write_text(json.dumps(about, indent=2) + "\n")


def differences_in(group: str) -> Iterator[str]:
    """Compare a group's file with a fresh computation; yield one line per difference."""
    fresh = compute(group)
    recorded = read(group)
    for key in sorted(fresh.keys() ^ recorded.keys()):
        yield f"{group}: {key} is {'not recorded' if key in fresh else 'no longer computed'}"
    for key in sorted(fresh.keys() & recorded.keys()):
        if not same(recorded[key], fresh[key]):
            yield f"{group}: {key} differs"


def read(group: str) -> Arrays:
    """Read the arrays of a group."""
    with np.load(io.BytesIO(lzma.decompress((CASES / f"{group}.npz.xz").read_bytes()))) as arrays:
        return dict(arrays)


def same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Compare dtype and shape, and values up to rounding."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if not np.issubdtype(one.dtype, np.floating):
        return np.array_equal(one, other)
    slack = max(TOLERANCE, 16 * float(np.finfo(one.dtype).eps))
    return np.allclose(one, other, rtol=slack, atol=slack, equal_nan=True)


if __name__ == "__main__":
    sys.exit(main())
