"""Programs that are made wrong on purpose, by code that is appended to a right one."""

import inspect
from typing import Literal

from grader.authoring.verify.in_child import wrong_on_purpose
from grader.definitions.program_files import append_code

SabotageKind = Literal[
    "sevens", "zeros", "nan", "single", "empty", "empty batch", "several", "raises", "nothing",
    "argument", "stale", "transposed", "near", "plus one", "almost zero", "widened", "in place",
]  # fmt: skip


def sabotage(
    right: str, kind: SabotageKind, names: dict[str, bool], condition: str = "True"
) -> str:
    """Return a program with the code appended that makes it wrong; see `make_wrong`.

    The code runs in a namespace of its own, so that the program's names stay unchanged.
    """
    call = f"make_wrong({kind!r}, {condition!r}, {names!r}, program)"
    code = f"{inspect.getsource(wrong_on_purpose)}\n\n{call}\n"
    return append_code(
        right, f"\n\nexec({code!r}, {{'__name__': __name__, 'program': globals()}})\n"
    )
