"""Rules about the programs in an exercise: starter, solution, misconceptions."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from grader.authoring.lint.python import shape, squeeze
from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import Subject
from grader.definitions.rules.base import Step
from grader.definitions.wording import quote
from grader.errors import Problem

WIDTH: Final = 88

_HEAD: Final = re.compile(r"^\s*(async\s+)?(def|class)\b.*$", re.MULTILINE)


@rule(
    "ETU401",
    "starter-is-solution",
    "error",
    bad="""
    starter: |
      def double(x):
          return 2 * x
    solution: |
      def double(x):
          # Twice as much.
          return 2 * x
    """,
    good="""
    starter: |
      def double(x):
          return None
    """,
)
def starter_is_solution(subject: Subject) -> Iterator[Problem]:
    """The starter is the solution.

    They differ in layout, comments and docstrings at most, so there is nothing to do.
    """
    if _is_solution(subject, "starter"):
        yield subject.problem("this is the solution already", "starter")


@rule(
    "ETU402",
    "starter-tells-solution",
    "warning",
    bad="""
    starter: |
      def scaled_scores(Q, K):
          # return Q @ K.T / np.sqrt(Q.shape[-1])
          ...
    """,
    good="""
    starter: |
      def scaled_scores(Q, K):
          # 1. Compare every query with every key. 2. Scale.
          ...
    """,
)
def starter_tells_solution(subject: Subject) -> Iterator[Problem]:
    """The starter contains what the solution returns.

    All values that the solution's function returns stand in the starter, in code or in a comment. A
    starter that is to be repaired may have them: there, the mistake is elsewhere. A function that
    the starter gives as the solution has it, beside others to be written, tells nothing.
    """
    if subject.exercise.kind != "write" or _is_solution(subject, "starter"):
        return
    # A helper's head, `def attention(Q, K, V):`, reads like the call that is to be found.
    starter = squeeze(_HEAD.sub("", subject.exercise.starter))
    given, wanted = _functions(subject, "starter"), _functions(subject, "solution")
    written = {name for name, form in given.items() if form == wanted.get(name)}
    for function in subject.solved:
        if function.name in written and not written >= {*subject.exercise.defines}:
            continue
        returns = () if "." in function.name else function.returns  # methods may be given
        if returns and all(value.is_telling and value.is_in(starter) for value in returns):
            message = f"this contains what the solution's {quote(function.name)} returns"
            yield subject.problem(message, "starter")


def _functions(subject: Subject, key: str) -> dict[str, str]:
    """Return the form of each function at the top of a program."""
    tree = subject.tree("exec", key)
    top = ast.iter_child_nodes(tree) if tree is not None else ()
    return {node.name: shape(node) for node in top if isinstance(node, ast.FunctionDef)}


def _is_solution(subject: Subject, *steps: Step) -> bool:
    form = subject.shape(*steps)
    return form is not None and form == subject.shape("solution")


@rule(
    "ETU403",
    "misconception-is-solution",
    "error",
    bad="""
    misconceptions:
      - id: unscaled
        code: |
          def double(x):
              return 2 * x     # as the solution does
        feedback: You forgot to double.
    """,
    good="""
    misconceptions:
      - id: squared
        code: |
          def double(x):
              return x ** 2
        feedback: You squared; 3 doubled is 6.
    """,
)
def misconception_is_solution(subject: Subject) -> Iterator[Problem]:
    """The program of a misconception is the solution.

    They differ in layout, comments and docstrings at most, so it makes no mistake.
    """
    for index, misconception in enumerate(subject.exercise.misconceptions):
        steps = ("misconceptions", index, "code")
        if _is_solution(subject, *steps):
            message = f"the program of {quote(misconception.id)} is the solution"
            yield subject.problem(message, *steps)


@rule(
    "ETU404",
    "repeated-misconception",
    "error",
    bad="""
    misconceptions:
      - id: unscaled
        code: |
          def double(x):
              return x
      - id: forgot-the-factor
        code: |
          def double(x):
              return x
    """,
    good="""
    misconceptions:
      - id: unscaled
        code: |
          def double(x):
              return x
      - id: squared
        code: |
          def double(x):
              return x ** 2
    """,
)
def repeated_misconception(subject: Subject) -> Iterator[Problem]:
    """Two misconceptions have the same program.

    They differ in layout, comments and docstrings at most, so a submission that is the one is the
    other, too, and only one of the two sentences can be said.
    """
    first: dict[str, str] = {}
    for index, misconception in enumerate(subject.exercise.misconceptions):
        steps = ("misconceptions", index, "code")
        form = subject.shape(*steps)
        if form is None:
            continue
        if form in first:
            message = f"the program of {quote(misconception.id)} is that of {quote(first[form])}"
            yield subject.problem(message, *steps)
        first.setdefault(form, misconception.id)


@rule(
    "ETU405",
    "long-code-line",
    "warning",
    bad="""
    starter: |
      def attention(Q, K, V):
          # First compute the scores of all queries and all keys, then scale, then use the softmax.
          ...
    """,
    good="""
    starter: |
      def attention(Q, K, V):
          # 1. Scores of all queries and keys. 2. Scale. 3. Softmax.
          ...
    """,
)
def long_code_line(subject: Subject) -> Iterator[Problem]:
    """A line of Python is longer than 88 characters.

    It does not fit into the editor on the page, and is cut or wrapped on a phone.
    """
    for steps in subject.programs():
        scalar = subject.text(*steps)
        for number, line in enumerate(scalar.text.split("\n"), 1):
            if len(line) > WIDTH:
                where = subject.document.place(scalar, number, WIDTH + 1)
                message = f"a line of {len(line)} characters; at most {WIDTH} fit"
                label = next(step for step in reversed(steps) if isinstance(step, str))
                yield Problem(where, f"{label}: {message}")


PROGRAM_RULES = (
    starter_is_solution,
    starter_tells_solution,
    misconception_is_solution,
    repeated_misconception,
    long_code_line,
)
