"""All mutants of a solution."""

import functools
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from grader.mutation.describe_change import describe, unified_diff
from grader.mutation.edits import Editor
from grader.mutation.operators import OPERATORS
from grader.mutation.program import Program
from grader.mutation.scope import learners_nodes


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program that differs from the solution in one change.

    Attributes:
        operator: The name of the operator that made it, a key of `OPERATORS`.
        change: Names the change in one line, unique among the solution's mutants. It survives edits
            elsewhere in the solution, so a definition can refer to it.
        line: Where in the solution the change begins, from 1.
        source: The whole program.
        diff: From the solution to the program, unified, with one line of context.
    """

    operator: str
    change: str
    line: int
    source: str
    diff: str


def mutants(solution: str, defines: Collection[str] = (), starter: str = "") -> tuple[Mutant, ...]:
    """Make every mutant of a solution, in the order of its lines.

    No two of them compile to the same code, and none to the solution's.

    Args:
        defines: What the exercise asks for. Functions and classes that none of these reaches by
            name are left alone, since no test can see them. Empty: everything is mutated.
        starter: The starter's source. A function that the solution leaves as it is there is no work
            of the learner's, so it is left alone.

    Returns:
        The mutants; none if `solution` is not Python, or nested too deeply to walk through.
    """
    try:
        with warnings.catch_warnings():  # the compiler's, of what a mutant does
            warnings.simplefilter("ignore")
            return _mutants(solution, tuple(defines), starter)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


@functools.lru_cache(maxsize=16)  # each suite of tests meets the mutants of the same program
def _mutants(solution: str, defines: tuple[str, ...], starter: str) -> tuple[Mutant, ...]:
    program = Program(solution)
    editor = Editor(program)
    seen: set[str] = set()
    repeats: Counter[str] = Counter()
    results = []
    edits = (  # the outer expressions of a line first
        (operator, edit)
        for node in learners_nodes(program, defines, starter)
        for operator in OPERATORS.values()
        if isinstance(node, operator.kinds)
        for edit in operator.find(program, node)
    )
    for operator, edit in edits:
        edited = editor.apply(edit)
        if edited is None or edited.fingerprint in seen:
            continue
        seen.add(edited.fingerprint)
        where = program.qualified_name(edit.node)
        place = f" in {where}" if where else ""
        change = f"{operator.name}{place}: {describe(program, edit)}"
        repeats[change] += 1
        count = repeats[change]
        if count > 1:  # " (2nd)" and so on
            teen = count % 100 in (11, 12, 13)
            ending = {1: "st", 2: "nd", 3: "rd"}.get(0 if teen else count % 10, "th")
            change += f" ({count}{ending})"
        results.append(
            Mutant(
                operator=operator.name,
                change=change,
                line=edit.node.lineno,
                source=edited.source,
                diff=unified_diff(program.source, edited.source),
            )
        )
    return tuple(results)
