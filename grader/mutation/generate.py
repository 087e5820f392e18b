"""All mutants of a solution."""

import functools
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from grader.mutation.describe_change import describe_edit, make_diff
from grader.mutation.edits import Editor
from grader.mutation.operators import OPERATORS
from grader.mutation.program import Program
from grader.mutation.scope import select_nodes


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program that differs from the solution in one change.

    Attributes:
        operator: The name of the operator that made it, a key of `OPERATORS`.
        change: One line that names the change, unique among the solution's mutants. It survives
            edits elsewhere in the solution, so a definition can refer to it.
        line: The line of the solution where the change begins, from 1.
        source: The whole program.
        diff: A unified diff from the solution to the program, with one line of context.
    """

    operator: str
    change: str
    line: int
    source: str
    diff: str


def mutants(solution: str, defines: Collection[str] = (), starter: str = "") -> tuple[Mutant, ...]:
    """Make every mutant of a solution, in the order of its lines.

    No two mutants compile to the same code, and none to the solution's code.

    Args:
        defines: The names that the exercise asks for. Functions and classes that none of these
            reaches by name are not mutated, since no test can see them. If empty, everything is
            mutated.
        starter: The starter's source. A function that the solution leaves unchanged there is not
            the learner's work, so it is not mutated.

    Returns:
        The mutants; an empty tuple if `solution` is not valid Python or is nested too deeply.
    """
    try:
        # A mutant's code may draw compiler warnings.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _mutants(solution, tuple(defines), starter)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


# Several suites of tests ask for the mutants of the same program.
@functools.lru_cache(maxsize=16)
def _mutants(solution: str, defines: tuple[str, ...], starter: str) -> tuple[Mutant, ...]:
    program = Program(solution)
    editor = Editor(program)
    seen: set[str] = set()
    repeats: Counter[str] = Counter()
    results = []
    # Outer expressions of a line come first.
    edits = (
        (operator, edit)
        for node in select_nodes(program, defines, starter)
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
        change = f"{operator.name}{place}: {describe_edit(program, edit)}"
        repeats[change] += 1
        count = repeats[change]
        # Equal descriptions get a number: " (2nd)", " (3rd)".
        if count > 1:
            teen = count % 100 in (11, 12, 13)
            ending = {1: "st", 2: "nd", 3: "rd"}.get(0 if teen else count % 10, "th")
            change += f" ({count}{ending})"
        results.append(
            Mutant(
                operator=operator.name,
                change=change,
                line=edit.node.lineno,
                source=edited.source,
                diff=make_diff(program.source, edited.source),
            )
        )
    return tuple(results)
