"""Completion of drafts: ids, names to define, and imports of programs."""

import ast
import re
from collections.abc import Collection
from typing import Final

from grader.authoring.sources.draft import Draft, DraftTest, make_slug
from grader.authoring.sources.program_parts import (
    ParsedProgram,
    find_kind,
    free_names,
    join,
    read_program,
)
from grader.definitions.wording import join_words

_DIFFICULTIES: Final[dict[str, str]] = {
    "beginner": "beginner", "easy": "beginner", "basic": "beginner", "introductory": "beginner",
    "intermediate": "intermediate", "medium": "intermediate", "moderate": "intermediate",
    "advanced": "advanced", "hard": "advanced", "difficult": "advanced", "expert": "advanced",
}  # fmt: skip
_KINDS: Final[dict[str, str]] = {
    "write": "write", "code": "write", "implement": "write",
    "fix": "fix", "debug": "fix", "bugfix": "fix", "fix-the-bug": "fix",
    "predict": "predict", "predict-output": "predict", "output": "predict",
}  # fmt: skip
_XP: Final = 10


def fill_in_draft(draft: Draft) -> None:
    """Fill in missing parts of a draft and make its programs self-contained, with remarks."""
    _fill_in_metadata(draft)
    solution, starter = read_program(draft.solution), read_program(draft.starter)
    if solution is None:
        draft.remarks.append("the solution is not Python, so it is kept as it is; fix it by hand")
    if starter is None and draft.starter:
        draft.remarks.append("the starter is not Python; it is kept as it is")
    if not draft.defines and solution is not None:
        # Submissions must define what the solution defines and the starter leaves open.
        definitions = solution.list_definitions()
        stubs = starter.list_definitions() if starter is not None else {}
        used = frozenset[str]().union(*(free_names(test.code) for test in draft.tests))
        open_names = [
            name
            for name, node in definitions.items()
            if name not in stubs or ast.dump(node) != ast.dump(stubs[name])
        ]
        defines = [name for name in open_names if name in stubs or name in used] or [
            name for name in open_names if re.search(rf"\b{re.escape(name)}\b", draft.instructions)
        ]
        draft.defines = {name: find_kind(solution, name) for name in defines or open_names}
        if not open_names:
            values = sorted(solution.sets - definitions.keys() - solution.imported_names)
            draft.defines = {name: "value" for name in values if name in used}
    if solution is not None and starter is not None:
        _add_starter_parts(draft, solution, starter)
    _name_in_instructions(draft)
    taken: set[str] = set()
    for number, test in enumerate(draft.tests, 1):
        name = make_unused_id(make_slug(test.id) or f"test-{number}", taken)
        taken.add(name)
        if test.id and name != test.id:
            draft.remarks.append(f"the test {test.id[:80]!r} is called {name!r} here")
        test.id = name
    for test in draft.tests:
        if test.key == "run":
            _complete_test(draft, test, starter or ParsedProgram(()))


def make_unused_id(name: str, taken: Collection[str]) -> str:
    """Return an unused id: the name, or the name with a number from 2."""
    unused_name, count = name, 1
    while unused_name in taken:
        count += 1
        unused_name = f"{name}-{count}"
    return unused_name


def _fill_in_metadata(draft: Draft) -> None:
    name = draft.id or draft.title
    draft.id = make_slug(draft.id) or make_slug(draft.title) or "imported"
    if name and name not in (draft.id, draft.title):
        draft.remarks.append(f"the id {name[:80]!r} is spelled {draft.id!r} here")
    if not draft.title:
        draft.title = draft.id.replace("-", " ").capitalize()
        draft.remarks.append(f"the source has no title; it is {draft.title!r} now")
    difficulty = _DIFFICULTIES.get(make_slug(draft.difficulty))
    if difficulty is None:
        draft.notes += [("difficulty", draft.difficulty)] if draft.difficulty else []
        reason = f"the difficulty {draft.difficulty[:40]!r} is unknown here"
        reason = reason if draft.difficulty else "the source says nothing about the difficulty"
        draft.remarks.append(f"{reason}; it is 'beginner' now")
    elif difficulty != draft.difficulty:
        draft.remarks.append(f"the difficulty {draft.difficulty!r} is called {difficulty!r} here")
    draft.difficulty = difficulty or "beginner"
    kind = _KINDS.get(make_slug(draft.kind) or "write")
    if kind is None:
        draft.notes.append(("kind", draft.kind))
        draft.remarks.append(f"there is no kind of exercise {draft.kind[:40]!r}; it is 'write' now")
    draft.kind = kind or "write"
    if draft.xp is None:
        draft.xp = _XP
        draft.remarks.append(f"the source says nothing about XP; it is {_XP} now")
    for key, instead in (
        ("instructions", "The source has no instructions.\n"),
        ("solution", draft.solution),
        ("explanation", "The source has no explanation.\n"),
        ("starter", "# Write your solution here.\n"),
    ):
        if not getattr(draft, key).strip():
            draft.remarks.append(f"the source has no {key}; write one")
            setattr(draft, key, instead)


def _name_in_instructions(draft: Draft) -> None:
    unnamed = [
        f"`{name}`"
        for name, kind in draft.defines.items()
        if kind != "value" and not re.search(rf"\b{re.escape(name)}\b", draft.instructions)
    ]
    if unnamed:
        task = f"Write {join_words(unnamed, 'and')}."
        draft.instructions = f"{draft.instructions.rstrip()}\n\n{task}\n"
        draft.remarks.append("the instructions name what is to be written now")


def _add_starter_parts(draft: Draft, solution: ParsedProgram, starter: ParsedProgram) -> None:
    """Add the parts of the starter that the solution needs in front of it."""
    lacking = solution.needs & starter.sets
    if not lacking:
        return
    own_names = solution.list_definitions().keys() | draft.defines.keys()
    usable = ParsedProgram(s for s in starter.statements if not s.sets & own_names)
    front = usable.select_for(lacking)
    imports = sorted(front.imported_names & lacking)
    others = [
        name
        for statement in front.statements
        if not statement.is_import
        for name in sorted(statement.sets & solution.needs)
    ]
    draft.solution = front.prepend_to(draft.solution)
    if names := [f"`{name}`" for name in dict.fromkeys(others or imports)]:
        needed = join_words(names, "and")
        verb = "it was" if len(names) == 1 else "they were"
        imported = f", with the import of `{', '.join(imports)}`" if others and imports else ""
        draft.remarks.append(
            f"the solution needs {needed} of the starter: {verb} put in front{imported}"
        )


def _complete_test(draft: Draft, test: DraftTest, starter: ParsedProgram) -> None:
    """Add the lines of the starter on which a test's statements depend."""
    demo = starter.select_demo()
    if not test.code.strip():
        test.code = join(statement.source for statement in demo.statements)
        if test.code:
            draft.remarks.append(
                f"test '{test.id}' has no code of its own: it is about what the starter's own "
                "lines at the bottom print, so these are its code now"
            )
        return
    program = read_program(test.code)
    if program is None:
        draft.remarks.append(f"the code of test '{test.id}' is not Python")
        return
    solution = read_program(draft.solution)
    defined = solution.sets if solution else frozenset[str]()
    # First the starter's imports that the solution lacks, then the names that its lines set.
    imports = ParsedProgram(statement for statement in starter.statements if statement.is_import)
    if lacking := (program.needs & imports.sets) - defined:
        test.code = imports.select_for(lacking).prepend_to(test.code)
    elif "np" in program.needs - starter.sets - defined:
        test.code = join(["import numpy as np", test.code])
        draft.remarks.append(f"test '{test.id}' uses `np` and nothing imports it: it does now")
    if lacking := (program.needs & demo.sets) - defined - draft.defines.keys():
        test.code = demo.select_for(lacking, with_effects=True).prepend_to(test.code)
        names = join_words([f"`{name}`" for name in sorted(lacking)], "and")
        verb = "set it" if len(lacking) == 1 else "set them"
        draft.remarks.append(
            f"test '{test.id}' reads {names}, and only the starter's own lines at the bottom "
            f"{verb}: they were put in front of the test"
        )
