"""The form of a mutation operator."""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.mutation.edits import Edit
from grader.mutation.program import Program


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of mistake, and the places where a program can have it."""

    name: str
    description: str  # for authors: what the change is, one sentence
    find: Callable[[Program, ast.AST], Iterable[Edit]]  # the edits of one node
    mistake: str = ""  # for learners: "as if ...", which names the mistake and shows no code
